/* For LD_PRELOAD: a readdir() that hangs while the file $ROOT_STAND_IN exists, as on a network mount whose server is
 * gone. */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

struct dirent *readdir(DIR *names)
{
    while (access(getenv("ROOT_STAND_IN"), F_OK) == 0)
        usleep(10000);
    struct dirent *(*const real)(DIR *) = (struct dirent * (*)(DIR *)) dlsym(RTLD_NEXT, "readdir");
    return real(names);
}
