/* A bot for Skirmish that plays any legal move. Compile it with: cc -O2 -o bot bot.c */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Far more than any line or list of moves needs. */
#define LONGEST_LINE 65536
#define MOST_MOVES 1024

/*
 * Your idea goes here: return one of the `count` moves in `legal`.
 *
 * game      the game's name, such as "base-battle"
 * position  the position in notation, such as "0/10/1"
 * player    which side you play, 1 or 2
 * legal     your legal moves in notation, such as "1", "2", "3"
 */
static const char *choose(const char *game, const char *position, int player,
                          char *const legal[], size_t count)
{
    (void)game, (void)position, (void)player; /* not used yet */
    return legal[(size_t)rand() % count];
}

/*
 * Returns the text after the first `key` in `text`, or ends the bot if the key is missing.
 *
 * Skirmish writes its JSON on one line, without spaces, and no name, position or
 * move contains a quotation mark or a backslash. So searching for keys is enough,
 * and no JSON library is needed.
 */
static char *after(char *text, const char *key)
{
    char *found = text ? strstr(text, key) : NULL;
    if (!found) {
        fprintf(stderr, "this line has no %s\n", key);
        exit(EXIT_FAILURE);
    }
    return found + strlen(key);
}

/* Splits a list such as "1","2","3"] into its words, in place. Returns the number of words. */
static size_t split(char *list, char *words[])
{
    size_t count = 0;
    *after(list, "]") = '\0';
    for (char *word = strtok(list, "\",]"); word && count < MOST_MOVES; word = strtok(NULL, "\",]"))
        words[count++] = word;
    return count;
}

int main(void)
{
    static char line[LONGEST_LINE];
    static char *legal[MOST_MOVES];

    srand((unsigned)time(NULL));
    /* Each question is one line of JSON. The bot ends when its input ends. */
    while (fgets(line, sizeof line, stdin)) {
        char *game = after(line, "\"game\":\"");
        char *position = after(line, "\"position\":\"");
        int player = atoi(after(line, "\"player\":"));
        /* In Command Clash both sides choose simultaneously, so "legal" contains the moves of both. */
        char *moves = after(after(line, "\"legal\":{"), player == 1 ? "\"1\":[" : "\"2\":[");
        size_t count = split(moves, legal);

        /* Split the line only now, because splitting it would break further searches. */
        *strchr(game, '"') = '\0';
        *strchr(position, '"') = '\0';
        if (count == 0) {
            fprintf(stderr, "there is no legal move\n");
            return EXIT_FAILURE;
        }
        puts(choose(game, position, player, legal, count));
        /* Without the flush, the answer would wait in a buffer while the game waits for it. */
        fflush(stdout);
    }
    return EXIT_SUCCESS;
}
