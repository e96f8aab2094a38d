"""Analysis of finished deals: what a player could know, deals that fit it, and what each move was worth.

    for decision in decisions_of(book, events_of_the_deal, seat):
        moves = candidates(decision.seen, decision.played, choose)
        best, *others = evaluate(decision.seen, moves, samples=60, policy=choose, seed=b"...")
        best.move, best.win_chance.mean, best.points, lead(best, others[0]).low

Hidden cards are drawn anew for each sample, so that only what the player could know counts; the deal itself is asked
for nothing else. The seed makes all of it repeatable. `judge_decision` does the same for one decision as a review has
it, and `summary` has the figures of all of them.
"""

from rules.analysis.evaluation import Evaluation, Interval, candidates, evaluate, lead, likeness
from rules.analysis.rollouts import Ending, Policy, move_of
from rules.analysis.sampling import sampled
from rules.analysis.seen import Decision, Known, decisions_of
from rules.analysis.story import DecisionReview, Grade, Summary, graded, judge_decision, summary

__all__ = [
    "Decision",
    "DecisionReview",
    "Ending",
    "Evaluation",
    "Grade",
    "Interval",
    "Known",
    "Policy",
    "Summary",
    "candidates",
    "decisions_of",
    "evaluate",
    "graded",
    "judge_decision",
    "lead",
    "likeness",
    "move_of",
    "sampled",
    "summary",
]
