/* source_access.h - observes all calls to the file system of the root: their errors, and calls that do not return.
 *
 * A mount whose file server is gone fails with a special error (EIO, ESTALE, ENOTCONN), or blocks a call for ever.
 * Neither says anything about the files. Work threads register their calls here; the loop checks how long they last. */
#pragma once

#include <dirent.h>
#include <stdint.h>

/* Call these before and after each such call, the second with its errno or 0, and its path for source_error_path().
 * Both preserve errno. Do not nest them. */
void source_enter(void);
void source_leave(int error, const char *path);

/* Does readdir() between the two; returns NULL at the end and after an error, which it notes. */
struct dirent *source_readdir(DIR *dir, const char *path);

/* For the calling thread: return the first errno of err_is_source() since source_forget_error(), and its path. 0: there
 * was none. */
void source_forget_error(void);
int source_error(void);
const char *source_error_path(void);

/* Returns the age of the oldest pending call of all threads that began after `since_ns` (of uv_hrtime()). Any
 * thread. */
uint64_t source_longest_call_ms(uint64_t since_ns);
