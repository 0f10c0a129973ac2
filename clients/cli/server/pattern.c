/* Matches patterns of paths and ignore files. */
#include "clients/cli/server/pattern.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { LINE_MAX_BYTES = 1024, STARS_MAX = 64 };

static int folded(char c, bool is_folded) { return is_folded ? tolower((unsigned char)c) : (unsigned char)c; }

/* Matches [abc], [a-z] or [!a]. *end is after the bracket. */
static bool bracket_matches(const char *at, char c, bool is_folded, const char **end)
{
    const bool is_negated = at[1] == '!' || at[1] == '^';
    bool is_in = false;
    const char *member = at + 1 + is_negated;
    for (const char *first = member; *member != '\0' && (*member != ']' || member == first); member++) {
        const int low = folded(*member, is_folded);
        int high = low;
        if (member[1] == '-' && member[2] != ']' && member[2] != '\0') {
            high = folded(member[2], is_folded);
            member += 2;
        }
        is_in |= folded(c, is_folded) >= low && folded(c, is_folded) <= high;
    }
    if (*member == '\0') { /* the bracket is never closed: it matches itself */
        *end = at + 1;
        return c == '[';
    }
    *end = member + 1;
    return is_in != is_negated && c != '/';
}

/* stars: how many more stars may be tried, so that a hostile pattern does not take forever. */
static bool matches(const char *pattern, const char *path, bool is_folded, int *stars)
{
    while (*pattern != '\0') {
        if (pattern[0] == '*') {
            const bool is_deep = pattern[1] == '*';
            const char *rest = pattern + (is_deep ? 2 : 1);
            if (--*stars < 0)
                return false;
            if (is_deep && *rest == '/' && matches(rest + 1, path, is_folded, stars)) /* ** matches no folder here */
                return true;
            for (const char *at = path;; at++) {
                if (matches(rest, at, is_folded, stars))
                    return true;
                if (*at == '\0' || (*at == '/' && !is_deep))
                    return false;
            }
        }
        if (*path == '\0')
            return false;
        if (*pattern == '[') {
            if (!bracket_matches(pattern, *path, is_folded, &pattern))
                return false;
        } else if (*pattern == '?') {
            if (*path == '/')
                return false;
            pattern++;
        } else {
            if (*pattern == '\\' && pattern[1] != '\0')
                pattern++;
            if (folded(*pattern, is_folded) != folded(*path, is_folded))
                return false;
            pattern++;
        }
        path++;
    }
    return *path == '\0';
}

bool pattern_matches_name(const char *pattern, const char *name, bool is_folded)
{
    int stars = STARS_MAX * STARS_MAX;
    return matches(pattern, name, is_folded, &stars);
}

bool pattern_matches(const char *pattern, const char *path) { return pattern_matches_name(pattern, path, false); }

bool pattern_list_matches(const char *patterns, const char *name, bool is_folded)
{
    while (*patterns != '\0') {
        char pattern[256];
        const size_t size = strcspn(patterns, ",");
        snprintf(pattern, sizeof pattern, "%.*s", (int)size, patterns);
        if (size > 0 && pattern_matches_name(pattern, name, is_folded))
            return true;
        patterns += size + (patterns[size] == ',');
    }
    return false;
}

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? path : slash + 1;
}

bool pattern_is_one(const char *text) { return strpbrk(text, "*?[") != NULL; }

/* Returns whether the pattern matches the path, or one of the folders above it. */
static bool is_about(const char *pattern, const char *path)
{
    return strchr(pattern, '/') != NULL ? pattern_matches(pattern + (*pattern == '/'), path)
                                        : pattern_matches(pattern, last_part(path));
}

bool pattern_selects(const char *pattern, const char *path)
{
    char text[LINE_MAX_BYTES], part[4096];
    const size_t size = strlen(pattern), path_size = strlen(path);
    if (size >= sizeof text || path_size >= sizeof part)
        return false;
    memcpy(text, pattern, size + 1);
    const bool is_folder = size > 1 && text[size - 1] == '/';
    if (is_folder)
        text[size - 1] = '\0';
    else if (is_about(text, path))
        return true;
    for (size_t i = 0; i < path_size; i++) {
        if (path[i] != '/')
            continue;
        memcpy(part, path, i);
        part[i] = '\0';
        if (is_about(text, part))
            return true;
    }
    return false;
}

int pattern_ignores(const char *lines, const char *path, bool is_folder)
{
    int verdict = -1;
    while (*lines != '\0') {
        char line[LINE_MAX_BYTES];
        const size_t size = strcspn(lines, "\n");
        const char *next = lines + size + (lines[size] == '\n');
        size_t kept = size < sizeof line ? size : 0;
        memcpy(line, lines, kept);
        while (kept > 0 && (line[kept - 1] == '\r' || line[kept - 1] == ' ' || line[kept - 1] == '\t'))
            kept--;
        line[kept] = '\0';
        lines = next;
        if (kept == 0 || line[0] == '#')
            continue;
        const bool is_back = line[0] == '!';
        const bool is_for_folders = line[kept - 1] == '/';
        if (is_for_folders)
            line[kept - 1] = '\0';
        if ((!is_for_folders || is_folder) && line[is_back] != '\0' && is_about(line + is_back, path))
            verdict = !is_back;
    }
    return verdict;
}
