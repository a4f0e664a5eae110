"""A bot for Skirmish that plays any legal move. Start it with: python3 bot.py"""

import json
import random
import sys


def choose(game, position, player, legal):
    """Your idea goes here: return one of the moves in `legal`.

    game      the game's name, such as "base-battle"
    position  the position in notation, such as "0/10/1"
    player    which side you play, 1 or 2
    legal     your legal moves in notation, such as ["1", "2", "3"]
    """
    return random.choice(legal)


# Each question is one line of JSON. The bot ends when its input ends.
for line in sys.stdin:
    asked = json.loads(line)
    player = asked["player"]
    # In Command Clash both sides choose simultaneously, so "legal" contains the moves of both.
    legal = asked["legal"][str(player)]
    # Without the flush, the answer would wait in a buffer while the game waits for it.
    print(choose(asked["game"], asked["position"], player, legal), flush=True)
