/* source_access.h - what the calls that wait for the file system of the root tell of it: its errors, and that a call
 * does not return.
 *
 * A mount whose server is gone fails with an error of its own (EIO, ESTALE, ENOTCONN), or lets a call wait for ever.
 * Neither says anything about the files. Work threads note their calls here; the loop looks how long they last. */
#pragma once

#include <dirent.h>
#include <stdint.h>

/* Around each such call, and with its errno or 0 behind it; `path` is what it was about, for source_error_path(). Both
 * keep errno. Not nested. */
void source_enter(void);
void source_leave(int error, const char *path);

/* readdir() between the two; NULL at the end and after an error, which is noted. */
struct dirent *source_readdir(DIR *dir, const char *path);

/* Of the calling thread: the first errno of err_is_source() since source_forget_error(), and its path. 0: there was
 * none. */
void source_forget_error(void);
int source_error(void);
const char *source_error_path(void);

/* For how long the oldest call of all threads that began after `since_ns` (of uv_hrtime()) has not returned. Any
 * thread. */
uint64_t source_longest_call_ms(uint64_t since_ns);
