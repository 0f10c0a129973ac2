/* pattern.h - patterns of paths, and the lines of ignore files. Pure.
 *
 * As in .gitignore: * is anything but '/', ** any number of folders, ? a character, [a-z] one of these. A pattern with
 * a '/' before its end is about the path from the folder of its file (or, on the command line, from the top); another
 * about the name at any depth. One that ends with '/' is about folders; in ignore files '!' takes back, '#' is a
 * comment. */
#pragma once

#include <stdbool.h>

/* Whether the whole of `path` matches. */
bool pattern_matches(const char *pattern, const char *path);
/* Whether one of the patterns between commas matches the whole of `name`; `is_folded`: without regard to ASCII case. */
bool pattern_list_matches(const char *patterns, const char *name, bool is_folded);
/* By the rule above: a pattern without '/' is compared with the path's last part. A pattern that names a folder means
 * what is in it. */
bool pattern_selects(const char *pattern, const char *path);
/* Whether the text has characters that make it a pattern. */
bool pattern_is_one(const char *text);

/* Goes through the lines of an ignore file: 1 the path is left out, 0 it is taken back, -1 they say nothing of it. */
int pattern_ignores(const char *lines, const char *path, bool is_folder);
