/* pattern.h - patterns of paths, and the lines of ignore files. Pure functions.
 *
 * As in .gitignore: * matches anything but '/', ** any number of folders, ? one character, [a-z] one of these. A
 * pattern with a '/' before its end is compared with the path from the folder of its file (on the command line: from
 * the top), any other with the name at any depth. A pattern that ends with '/' matches folders only. In ignore files
 * '!' includes again, and '#' begins a comment. */
#pragma once

#include <stdbool.h>

/* Returns whether the pattern matches the whole `path`. */
bool pattern_matches(const char *pattern, const char *path);
/* The same. `is_folded` ignores ASCII case. */
bool pattern_matches_name(const char *pattern, const char *name, bool is_folded);
/* Returns whether one of the comma-separated patterns matches the whole `name`. `is_folded` ignores ASCII case. */
bool pattern_list_matches(const char *patterns, const char *name, bool is_folded);
/* Returns whether the pattern matches `path`, or a folder that contains it, by the rules above. */
bool pattern_selects(const char *pattern, const char *path);
/* Returns whether the text contains wildcards. */
bool pattern_is_one(const char *text);

/* Applies the lines of an ignore file. Returns 1 if they exclude the path, 0 if they include it again, -1 if no line
 * matches. */
int pattern_ignores(const char *lines, const char *path, bool is_folder);
