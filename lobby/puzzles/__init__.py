"""Puzzles from finished deals: a question with one best answer, rated against those who solve it.

What is asked holds only what the player of the deal could see; the solution stays on the server until an answer came.
"""
