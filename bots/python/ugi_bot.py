"""A bot for Capture and Conquer that speaks UGI. Start it with: python3 ugi_bot.py

UGI generalises UCI, the protocol of chess programs, to other games. The bot receives the
position and the moves played, but not the legal moves, so it has to know the rules. To play
another game, replace the part under "The rules".
"""

import random
import sys

PASS = "pass"
DEFAULTS = "positions=11 steps=2"
MAX_TURNS = 200


def choose(game, position):
    """Your idea goes here: return one of `game.legal(position)`.

    This example wins if it can, else sends the enemy home, else stays out of the enemy's reach.
    """

    def worth(move):
        after = game.play(position, move)
        player, enemy = position[2], after[2]
        replies = [game.play(after, reply) for reply in game.legal(after)]
        return (
            game.has_won(after, player),
            after[enemy - 1] != position[enemy - 1],
            not any(reply[player - 1] != after[player - 1] for reply in replies),
            random.random(),
        )

    return max(game.legal(position), key=worth)


# The rules. A position is a tuple: Player 1's place, Player 2's place, and the player to move.


class Game:
    """Capture and Conquer with some rule options, such as "positions=13 steps=3"."""

    def __init__(self, rules=DEFAULTS):
        options = dict(option.split("=") for option in f"{DEFAULTS} {rules}".split())
        self.last = int(options["positions"]) - 1
        self.steps = int(options["steps"])

    def start(self):
        return (0, self.last, 1)

    def legal(self, position):
        """The legal moves: any number of steps that stays on the board, or a pass if there is none."""
        player = position[2]
        place = position[player - 1]
        left = self.last - place if player == 1 else place
        return [str(steps) for steps in range(1, min(self.steps, left) + 1)] or [PASS]

    def play(self, position, move):
        """The position after a move. Landing on the enemy unit sends it home."""
        one, two, player = position
        steps = 0 if move == PASS else int(move)
        if player == 1:
            one += steps
            # Landing on the base wins; its owner, if at home, stays there.
            two = self.last if one == two else two
        else:
            two -= steps
            one = 0 if one == two else one
        return (one, two, 3 - player)

    def has_won(self, position, player):
        return position[player - 1] == (self.last if player == 1 else 0)


# The protocol.


def read_position(game, words):
    """Reads `startpos` or `fen 4/6/2`, optionally followed by `moves 2 1 2`.

    Returns the position and the number of moves played.
    """
    if words[0] == "fen":
        position = tuple(int(part) for part in words[1].split("/"))
    else:
        position = game.start()
    moves = words[words.index("moves") + 1 :] if "moves" in words else []
    for move in moves:
        position = game.play(position, move)
    return position, len(moves)


def result(game, position, is_too_long):
    """The result: p1win, p2win, draw or none. A game that lasts too long is a draw."""
    for player in (1, 2):
        if game.has_won(position, player):
            return f"p{player}win"
    return "draw" if is_too_long else "none"


def respond(question, game, position, is_too_long):
    """The answer to a `query`. Skirmish sends none, but runners that do not know the rules do."""
    over = result(game, position, is_too_long)
    if question == "result":
        return over
    if question == "gameover":
        return "false" if over == "none" else "true"
    if question == "p1turn":
        return "true" if over == "none" and position[2] == 1 else "false"
    return "unknown"


def main():
    game = Game()
    position, turns = game.start(), 0
    max_turns = MAX_TURNS
    for line in sys.stdin:
        command, *words = line.split() or [""]
        if command == "ugi":
            print("id name Capture and Conquer in Python")
            print("id author Skirmish")
            print(f"option name Rules type string default {DEFAULTS}")
            print(f"option name MaxTurns type spin default {MAX_TURNS} min 0 max 1000000")
            print("ugiok")
        elif command == "isready":
            print("readyok")
        elif command == "setoption" and words[:3] == ["name", "Rules", "value"]:
            rules = " ".join(words[3:])
            game = Game("" if rules == "<empty>" else rules)
            position, turns = game.start(), 0
        elif command == "setoption" and words[:3] == ["name", "MaxTurns", "value"]:
            max_turns = int(words[3])
        elif command == "uginewgame":
            position, turns = game.start(), 0
        elif command == "position":
            position, turns = read_position(game, words)
        elif command == "query":
            is_too_long = 0 < max_turns <= turns
            print("response", respond(" ".join(words), game, position, is_too_long))
        elif command == "go":
            # The time limits after `go` do not matter to a bot that answers immediately.
            print("bestmove", choose(game, position))
        elif command == "quit":
            break
        # Ignore all other commands, as the protocol requires.
        # Without the flush, the answers would wait in a buffer while the game waits for them.
        sys.stdout.flush()


if __name__ == "__main__":
    main()
