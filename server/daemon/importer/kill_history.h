/* import_kills.h - the files whose last import was killed from outside, by their bytes: the next kill in a row is no
 * chance. A few are known, the latest ones. For the whole process; any thread, and not the loop's for what reads files.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Whether any file is known. If not, an import that was not killed needs no kill_history_note(). Any thread. */
bool kill_history_any(void);

/* The import of the file at `path` beneath the folder has ended, killed or not. Reads the file where that matters.
 * True: it was killed, and so was the last import of the same bytes, wherever they lay. */
bool kill_history_note(int folder_fd, const char *path, uint64_t max_file_bytes, bool is_killed);
