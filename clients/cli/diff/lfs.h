/* lfs.h - pointers of Git LFS. Main thread. */
#pragma once

/* If the file `path` of `folder` is a pointer, replaces it with the output of `git lfs smudge` in the repository `top`.
 * Without git-lfs, or if that fails, the pointer stays; the server's error for the model then names it. */
void lfs_resolve(const char *top, const char *folder, const char *path);
