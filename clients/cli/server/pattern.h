/* pattern.h - patterns of paths, and the lines of ignore files. Pure functions.
 *
 * As in .gitignore: * matches anything but '/', ** any number of folders, ? one character, [a-z] one of these. A
 * pattern with a '/' before its end is compared with the path from the folder of its file (on the command line: from
 * the top), any other with the name at any depth. A pattern that ends with '/' matches folders only. In ignore files
 * '!' includes again, and '#' begins a comment. */
#pragma once

#include <stdbool.h>

/* Whether the whole of `path` matches. */
bool pattern_matches(const char *pattern, const char *path);
/* The same; `is_folded`: without regard to ASCII case. */
bool pattern_matches_name(const char *pattern, const char *name, bool is_folded);
/* Whether one of the patterns between commas matches the whole of `name`; `is_folded`: without regard to ASCII case. */
bool pattern_list_matches(const char *patterns, const char *name, bool is_folded);
/* Whether the pattern matches `path` by the rules above, or a folder that contains it. */
bool pattern_selects(const char *pattern, const char *path);
/* Whether the text contains wildcards. */
bool pattern_is_one(const char *text);

/* Applies the lines of an ignore file: 1 the path is excluded, 0 it is included again, -1 no line matches. */
int pattern_ignores(const char *lines, const char *path, bool is_folder);
