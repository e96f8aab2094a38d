// What the server sends, key by key: written from rules/game/views/shapes.py, not by hand.

/** @typedef {"player" | "platform" | "leaving"} By */
/** @typedef {string} Card */
/** @typedef {"start" | "turn" | "extra" | "meld" | "result" | "rejoin" | "split"} ClockKind */
/** @typedef {number | string} DealId */
/** @typedef {string} Face */
/** @typedef {"points" | "blind" | "pool" | "deals"} Family */
/** @typedef {string[][]} Groups */
/** @typedef {"pure" | "impure" | "set" | "jokers" | "invalid"} Kind */
/** @typedef {"won" | "lost" | "dropped" | "wrong" | "left"} Outcome */
/** @typedef {"waiting" | "starting" | "playing" | "melding" | "result" | "rejoin" | "split" | "over"} Phase */
/** @typedef {"closed" | "open"} Pile */
/** @typedef {"empty" | "waiting" | "playing" | "dropped" | "wrong" | "left" | "out" | "submitted"} SeatStatus */

/**
 * How an amount is written: `digits` is the number of decimals, `sign` stands before it, `noun` after it.
 *
 * @typedef {Object} CurrencyView
 * @property {number} digits
 * @property {string} sign
 * @property {string} noun
 */

/**
 * How long each clock of the table runs.
 *
 * @typedef {Object} ClocksView
 * @property {number} start_two
 * @property {number} start_more
 * @property {number} start_full
 * @property {number} turn
 * @property {number} extra
 * @property {number} meld
 * @property {number} result
 * @property {number} prompt
 */

/**
 * The tournament that the table is part of. Rounds and deals are counted from 1, those of an arena not at all; its end,
 * `ends_at`, is ISO 8601 UTC. `place` is the viewer's own, as the last finished deal left it, among `places`; with
 * `automatic` the viewer was away and is dropped at each deal until they come back. While it is `paused` the next deal
 * here waits for staff, without a clock.
 *
 * @typedef {Object} TournamentView
 * @property {number} id
 * @property {string} title
 * @property {number | null} round
 * @property {number | null} rounds
 * @property {number | null} deal
 * @property {number | null} deals
 * @property {number | null} place
 * @property {number} places
 * @property {string | null} ends_at
 * @property {boolean} automatic
 * @property {boolean} paused
 */

/**
 * The table. `minimum` is the least stack for a deal where points have a value, `deals` the number of deals in a match
 * if the book counts them, `chips_a_deal` the chips with which everybody begins for each of these, where totals are
 * chips and not points, and `max_groups` the most groups of a hand.
 *
 * @typedef {Object} TableView
 * @property {number} id
 * @property {string} title
 * @property {string} book
 * @property {string} book_title
 * @property {Family} family
 * @property {string} currency
 * @property {CurrencyView} money
 * @property {number} seats
 * @property {number | null} point_value
 * @property {number | null} minimum
 * @property {number | null} entry
 * @property {number | null} prize
 * @property {number} fee_percent
 * @property {number | null} deals
 * @property {number | null} chips_a_deal
 * @property {number} max_groups
 * @property {ClocksView} clocks
 * @property {boolean} practice
 * @property {boolean} stopped
 * @property {TournamentView | null} tournament
 */

/**
 * One discard, by `seat` (the upcard: null), and who picked it up again, if anybody has. In a blind deal nobody sees
 * the card.
 *
 * @typedef {Object} DiscardView
 * @property {number | null} seat
 * @property {Card | null} card
 * @property {number} [picked_by]
 */

/**
 * The card that `seat` drew for the first turn.
 *
 * @typedef {Object} TossView
 * @property {number} seat
 * @property {Face} card
 */

/**
 * The deal on the table, and the toss if it began with one. Only its owner sees the finish card before the result.
 * `number` counts the deals of the table, in points and blind over all its matches. Of the discards, the first
 * `reshuffled_count` went back into the closed deck, or had been picked up before; the last two hundred of either kind
 * are shown.
 *
 * @typedef {Object} DealView
 * @property {DealId} id
 * @property {number} number
 * @property {string} commitment
 * @property {Card | null} cut_joker
 * @property {number | null} wild_rank
 * @property {number} closed_count
 * @property {Card | null} open_top
 * @property {DiscardView[]} discards
 * @property {number} reshuffled_count
 * @property {number | null} first_seat
 * @property {number | null} dealer_seat
 * @property {number | null} turn_seat
 * @property {number} turn_number
 * @property {Card | null} finish_card
 * @property {TossView[]} toss
 */

/**
 * The commitment of the next deal.
 *
 * @typedef {Object} NextDealView
 * @property {DealId} id
 * @property {string} commitment
 */

/**
 * One seat and its player. `total` is for matches with points, `drops_left` for pools; `cards` is the number of their
 * cards, `misses` how often their time ran out, `auto` how many turns in a row were played for them.
 *
 * @typedef {Object} SeatView
 * @property {number} seat
 * @property {string | null} name
 * @property {boolean} bot
 * @property {boolean} connected
 * @property {SeatStatus} status
 * @property {number} stack
 * @property {number | null} total
 * @property {number | null} drops_left
 * @property {number} rejoins
 * @property {boolean} ready
 * @property {number} cards
 * @property {number} misses
 * @property {number} auto
 */

/**
 * The viewer's own seat. `kinds` and `reasons` are verdicts on `groups`; `valid` and `points` judge the hand as
 * arranged now; `fault` says why it is no valid show, and `fault_without` the same by the card put in the finish slot.
 * `points_to_save` says by how many points less a better arrangement could be submitted, null where none can be. Keys
 * in `_costs` are money: 0 where points have no value. `drop_eliminates` says whether a drop would end the match for
 * the player, `drop_spares` whether to drop and then to leave is cheaper than to leave. In a `guided` deal, the first
 * of a player, `hint` is about the move that they may make, `hint_why` explains it, `hint_cards` are the cards that it
 * speaks of, and `hint_groups` an arrangement to be laid.
 *
 * @typedef {Object} MeView
 * @property {number} seat
 * @property {Card[]} hand
 * @property {Card | null} drawn
 * @property {Card[][]} groups
 * @property {Kind[]} kinds
 * @property {(string | null)[]} reasons
 * @property {Card[]} loose
 * @property {boolean} valid
 * @property {string | null} fault
 * @property {Record<Card, string | null> | null} fault_without
 * @property {number | null} wrong_show_points
 * @property {number} wrong_show_costs
 * @property {number | null} points
 * @property {number | null} points_to_save
 * @property {string[]} moves
 * @property {boolean} pickable_open
 * @property {boolean} sort_used
 * @property {boolean} auto_drop
 * @property {number | null} drop_points
 * @property {number} drop_costs
 * @property {boolean} drop_eliminates
 * @property {boolean} drop_spares
 * @property {number | null} leave_points
 * @property {number} leave_costs
 * @property {string | null} private_code
 * @property {boolean} guided
 * @property {string | null} hint
 * @property {string | null} hint_why
 * @property {Card[]} hint_cards
 * @property {Card[][]} hint_groups
 */

/**
 * Somebody must act before `deadline`; `seat` is null where more than one may.
 *
 * @typedef {Object} BareClockView
 * @property {ClockKind} kind
 * @property {number | null} seat
 * @property {number} deadline
 * @property {number} length_ms
 */

/**
 * The running clock, and its remaining time.
 *
 * @typedef {Object} ClockView
 * @property {ClockKind} kind
 * @property {number | null} seat
 * @property {number} deadline
 * @property {number} length_ms
 * @property {number} remaining_ms
 */

/**
 * The players in `seats` may rejoin for `price`, with `score` points.
 *
 * @typedef {Object} RejoinPrompt
 * @property {"rejoin"} kind
 * @property {number[]} seats
 * @property {number} price
 * @property {number} score
 */

/**
 * One player's part of a split: `excess` are their drops beyond the fewest that anybody has.
 *
 * @typedef {Object} ShareView
 * @property {number} seat
 * @property {number} drops
 * @property {number} excess
 * @property {number} share
 */

/**
 * The same with the value of the drops beyond the fewest in money. `why` explains the share.
 *
 * @typedef {Object} SplitLineView
 * @property {number} seat
 * @property {number} drops
 * @property {number} excess
 * @property {number} share
 * @property {number} excess_amount
 * @property {string} why
 */

/**
 * The player in seat `by` offers to split the prize; `answers` are those given so far, by seat.
 *
 * @typedef {Object} SplitPrompt
 * @property {"split"} kind
 * @property {number} by
 * @property {SplitLineView[]} lines
 * @property {Record<string, boolean>} answers
 */

/**
 * A line of the result, where all hands are open. `amount` is the money won or lost.
 *
 * @typedef {Object} ShownHandView
 * @property {number} seat
 * @property {Outcome} outcome
 * @property {Card[][]} groups
 * @property {string[]} kinds
 * @property {Card[]} loose
 * @property {number} points
 * @property {number} amount
 * @property {number | null} total
 */

/**
 * The same with the player's name, as somebody else may sit there by now. `why` explains the points in sentences,
 * `counted` has the points of each card that counted.
 *
 * @typedef {Object} ResultRowView
 * @property {number} seat
 * @property {Outcome} outcome
 * @property {Card[][]} groups
 * @property {string[]} kinds
 * @property {Card[]} loose
 * @property {number} points
 * @property {number} amount
 * @property {number | null} total
 * @property {string | null} name
 * @property {string} why
 * @property {Record<Card, number>} counted
 */

/**
 * The result of the last deal; the next one begins in `next_in`, null if it waits for the players.
 *
 * @typedef {Object} DealResultView
 * @property {DealId} deal
 * @property {number} winner
 * @property {ResultRowView[]} rows
 * @property {number | null} next_in
 */

/**
 * A player's payments into the pot of the match, and the `amount` that they got out of it; `why` explains it if the
 * prize is shared.
 *
 * @typedef {Object} AccountView
 * @property {number} seat
 * @property {number} paid
 * @property {number} amount
 * @property {string | null} why
 */

/**
 * The whole view of one viewer.
 *
 * @typedef {Object} View
 * @property {TableView} table
 * @property {Phase} phase
 * @property {number | null} melding_by
 * @property {DealView | null} deal
 * @property {SeatView[]} seats
 * @property {number[]} free_seats
 * @property {ClockView | null} clock
 * @property {RejoinPrompt | SplitPrompt | null} prompt
 * @property {NextDealView | null} next_deal
 * @property {DealResultView | null} result
 * @property {AccountView[] | null} accounts
 * @property {MeView | null} me
 */

/**
 * What has just happened, as its viewer may see it.
 *
 * @typedef {Object} TableEvent
 * @property {"auto_drop_set" | "card_discarded" | "card_drawn" | "cards_dealt" | "chips_added" | "client_seed_added" | "clock_credited" | "clock_set" | "closed_deck_reshuffled" | "cut_joker_turned" | "deal_ended" | "deal_prepared" | "deal_settled" | "deal_voided" | "extra_time_began" | "finish_placed" | "hand_arranged" | "hand_sorted" | "hand_submitted" | "match_cancelled" | "match_ended" | "match_started" | "player_dropped" | "player_eliminated" | "player_left" | "player_rejoined" | "prize_awarded" | "rejoin_closed" | "rejoin_declined" | "rejoin_opened" | "seat_continued" | "seat_left" | "seat_taken" | "show_accepted" | "show_refused" | "split_answered" | "split_ended" | "split_offered" | "starting_began" | "toss_made" | "turn_auto_played" | "turn_began" | "upcard_turned" | "waiting_began"} type
 * @property {string} [text]
 * @property {boolean} [accept]
 * @property {boolean} [agreed]
 * @property {number} [amount]
 * @property {number} [auto]
 * @property {By} [by]
 * @property {Card | null} [card]
 * @property {[number, Face][]} [cards]
 * @property {BareClockView} [clock]
 * @property {string} [commitment]
 * @property {boolean} [computer]
 * @property {number} [count]
 * @property {DealId} [deal_id]
 * @property {number} [entry]
 * @property {number} [fee]
 * @property {Card | null} [finish_card]
 * @property {Groups} [groups]
 * @property {ShareView[]} [lines]
 * @property {[number, number][]} [losses]
 * @property {number} [misses]
 * @property {number} [number]
 * @property {boolean} [on]
 * @property {number[]} [order]
 * @property {Pile} [pile]
 * @property {null | number} [points]
 * @property {number} [pot]
 * @property {number} [price]
 * @property {string} [reason]
 * @property {[number, number][]} [refunds]
 * @property {number} [returned]
 * @property {ShownHandView[]} [rows]
 * @property {number} [score]
 * @property {number} [seat]
 * @property {number[]} [seats]
 * @property {[number, number][]} [shares]
 * @property {number} [stack]
 * @property {number} [total]
 * @property {number} [wild_rank]
 * @property {number} [winner]
 * @property {number[]} [winners]
 */

/**
 * On joining, after every change and on `sync`: what just happened, and the view, whole every time. `away_ms` is how
 * long the platform was away, for who comes back after that.
 *
 * @typedef {Object} StateFrame
 * @property {"state"} type
 * @property {number} version
 * @property {number} now
 * @property {number} [away_ms]
 * @property {TableEvent[]} events
 * @property {View} view
 */

/**
 * The answer to a frame, under its `id`. An error has changed nothing.
 *
 * @typedef {Object} AnswerFrame
 * @property {"ack" | "error" | "pong"} type
 * @property {number} version
 * @property {number | string} [id]
 * @property {number} [now]
 * @property {string} [code]
 * @property {string} [message]
 */

export {};
