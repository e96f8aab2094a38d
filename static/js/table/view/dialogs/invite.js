// @ts-check
// The link to a table for friends, for who sits there already: to be copied, sent, or read by another phone's camera.

import { el, pageData } from "../../../shared/dom.js";
import { t } from "../../../shared/language.js";
import { toast } from "../toasts.js";
import { paragraph, show } from "./window.js";

export async function inviteDialog() {
  const path = pageData("sit");
  const link = new URL(path, location.href).href;
  const input = el("input", {
    class: "invite-link",
    readonly: true,
    value: link,
    "aria-label": t("Link to the table"),
  });
  const picture = {
    class: "invite-picture",
    src: `${path}code.svg`,
    alt: t("QR code of the link"),
    width: 160,
    height: 160,
  };
  const body = [
    paragraph(t("Whoever has this link finds the table, with an account or as a guest.")),
    el("img", picture),
    input,
  ];
  const act = await show(t("Invite friends"), body, [{ text: t("Copy link"), value: "copy", class: "is-main" }]);
  if (act === "copy") copy(link);
}

/** @param {string} link */
async function copy(link) {
  const done = await navigator.clipboard?.writeText(link).then(
    () => true,
    () => false,
  );
  toast(done ? t("Copied") : t("The link could not be copied: select it and copy it by hand."), { plain: true });
}
