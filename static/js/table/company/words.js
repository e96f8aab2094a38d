// @ts-check
// What the page says about people: whole sentences, all in one place.

export const SAY = "Say something";
export const ABOUT = "Players see it at your seat. It is kept nowhere.";

/** @type {(name: string) => string} */
export const aboutPlayer = (name) => `About ${name}`;
/** @type {(name: string, text: string) => string} */
export const saidBy = (name, text) => `${name}: ${text}`;

export const FRIENDSHIP = {
  "": { text: "", act: "Ask to be friends" },
  asked: { text: "You have asked to be friends.", act: "" },
  asks: { text: "Asks you to be friends.", act: "Accept as a friend" },
  friends: { text: "You are friends.", act: "" },
};

export const MUTE = { on: "Mute", off: "Unmute" };
export const MUTED = "You do not see what they say, here or at any other table.";
export const FAILED = "That did not work. Please try again.";
