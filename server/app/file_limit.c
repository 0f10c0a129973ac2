#include "file_limit.h"

#include "log.h"

#include <sys/resource.h>

enum {
    OWN_FILES = 192,       /* standard streams, root, loop, listener, connections that are being refused */
    FILES_PER_LOOP = 16,   /* what libuv has, and listening sockets; beyond the first */
    FILES_PER_WORKER = 8,  /* sockets and pipes, and a result that is being checked */
    MODELS_MAX = 16384,    /* more than fit into any memory */
    CONNECTIONS_SHARE = 3, /* of 4: what connections may have at most */
};

void file_limit_share(struct config *config, uint64_t files)
{
    uint64_t *connections = &config->limits.value[LIMIT_CONNECTIONS];
    const uint64_t workers = (uint64_t)config->import_workers + config->render_workers;
    const uint64_t more_loops = config->loops > 1 ? config->loops - 1 : 0;
    const uint64_t own = OWN_FILES + FILES_PER_WORKER * workers + FILES_PER_LOOP * more_loops;
    const uint64_t rest = files > own + 4 ? files - own : 4;
    const uint64_t connections_max = rest / 4 * CONNECTIONS_SHARE;
    if (*connections > connections_max)
        *connections = connections_max;
    const uint64_t models = rest - *connections;
    config->models_max = (uint32_t)(models < MODELS_MAX ? models : MODELS_MAX);
}

struct file_limit file_limit_apply(struct config *config)
{
    struct file_limit limit = {.wanted_connections = config->limits.value[LIMIT_CONNECTIONS], .files = UINT64_MAX};
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
        const rlim_t before = files.rlim_cur;
        files.rlim_cur = files.rlim_max;
        limit.files = setrlimit(RLIMIT_NOFILE, &files) == 0 ? files.rlim_max : before;
    }
    file_limit_share(config, limit.files);
    return limit;
}

void file_limit_tell(const struct file_limit *limit, const struct config *config)
{
    const unsigned long long files = limit->files, connections = config->limits.value[LIMIT_CONNECTIONS];
    if (connections < limit->wanted_connections)
        log_warn(
            "only %llu connections instead of %llu: the system allows %llu open files; raise that with ulimit -Hn, "
            "LimitNOFILE= or docker run --ulimit nofile=",
            connections, (unsigned long long)limit->wanted_connections, files);
    else
        log_info("up to %llu connections and %u models at a time; the system allows %llu open files", connections,
                 config->models_max, files);
}
