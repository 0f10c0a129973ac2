/* lfs.h - pointers of Git LFS. Main thread. */
#pragma once

/* Where the file `path` of `folder` is a pointer, puts in its place what `git lfs smudge` makes of it in the repository
 * `top`. Without git-lfs, or where that fails, the pointer stays, and the server says of the model what it is. */
void lfs_resolve(const char *top, const char *folder, const char *path);
