// @ts-check
// On every other page of who is in a tournament: the call to their table reaches them there as well.

import { connect } from "../lobby/socket.js";
import { calledByTournament } from "./call.js";

connect({ onState: () => undefined, onMessage: calledByTournament });
