// What the server sends, key by key: written from rules/game/views/shapes.py, not by hand.

/** @typedef {"player" | "platform"} By */
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
 * How an amount is written: so many `digits` behind the point, `sign` before it, `noun` after it.
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
 * What the table is. `minimum` is the least a seat must hold for a deal where points have a value, `deals` how many a
 * match has where the book counts them, and `max_groups` how many groups a hand may be laid in.
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
 * @property {number} max_groups
 * @property {ClocksView} clocks
 * @property {boolean} practice
 * @property {boolean} stopped
 */

/**
 * One discard, by `seat` (the upcard: null). In a blind deal nobody sees the card.
 *
 * @typedef {Object} DiscardView
 * @property {number | null} seat
 * @property {Card | null} card
 * @property {number | null} picked_by
 * @property {boolean} reshuffled
 */

/**
 * The card that `seat` drew for the first turn.
 *
 * @typedef {Object} TossView
 * @property {number} seat
 * @property {Face} card
 */

/**
 * The deal on the table, and the toss if it began with one. The finish card lies face down until the result: only its
 * owner sees it before.
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
 * @property {number | null} first_seat
 * @property {number | null} dealer_seat
 * @property {number | null} turn_seat
 * @property {number} turn_number
 * @property {Card | null} finish_card
 * @property {TossView[]} toss
 */

/**
 * What is committed for the deal that comes next.
 *
 * @typedef {Object} NextDealView
 * @property {DealId} id
 * @property {string} commitment
 */

/**
 * One seat and who holds it. `total` counts where a match has points, `drops_left` in pools; `cards` is how many they
 * hold, `misses` how often their time ran out, `auto` how many turns in a row were played for them.
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
 * One's own seat. `kinds` and `reasons` are verdicts on `groups`; `valid` and `points` say what the hand comes to as it
 * lies; `fault` why it is no valid show, and `fault_without` the same by the card put in the finish slot. `hint` is for
 * who plays for the first time.
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
 * @property {number | null} points
 * @property {string[]} moves
 * @property {boolean} pickable_open
 * @property {boolean} sort_used
 * @property {boolean} auto_drop
 * @property {number | null} drop_points
 * @property {number | null} leave_points
 * @property {number} leave_costs
 * @property {string | null} private_code
 * @property {string | null} hint
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
 * The running clock, and how long it still runs.
 *
 * @typedef {Object} ClockView
 * @property {ClockKind} kind
 * @property {number | null} seat
 * @property {number} deadline
 * @property {number} length_ms
 * @property {number} remaining_ms
 */

/**
 * Those in `seats` may come back for `price`, with `score` points.
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
 * The same with its part in money: what the drops beyond the fewest are worth. `why` says how the share is made.
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
 * A line of the result, where all hands are open. `amount` is what was won or lost in money.
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
 * The same with the name of who played: somebody else may sit there by now. `why` says in sentences how the points came
 * about, `counted` what each card that counted has counted.
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
 * How the last deal ended; the next one comes in `next_in`, null where it waits for the players.
 *
 * @typedef {Object} DealResultView
 * @property {DealId} deal
 * @property {number} winner
 * @property {ResultRowView[]} rows
 * @property {number | null} next_in
 */

/**
 * What a player of the match paid into its pot, and the `amount` that they got out of it; `why` they got it, where the
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
