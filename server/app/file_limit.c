#include "file_limit.h"

#include "log.h"

#include <sys/resource.h>

enum {
    OWN_FILES = 192,       /* standard streams, root, loop, listener, connections that are being refused */
    FILES_PER_WORKER = 8,  /* sockets and pipes, and a result that is being checked */
    MODELS_MAX = 16384,    /* more than fit into any memory */
    CONNECTIONS_SHARE = 3, /* of 4: what connections may have at most */
};

void file_limit_share(struct config *config, uint64_t files)
{
    uint64_t *connections = &config->limits.value[LIMIT_CONNECTIONS];
    const uint64_t workers = (uint64_t)config->import_workers + config->render_workers;
    const uint64_t own = OWN_FILES + FILES_PER_WORKER * workers;
    const uint64_t rest = files > own + 4 ? files - own : 4;
    const uint64_t connections_max = rest / 4 * CONNECTIONS_SHARE;
    if (*connections > connections_max)
        *connections = connections_max;
    const uint64_t models = rest - *connections;
    config->models_max = (uint32_t)(models < MODELS_MAX ? models : MODELS_MAX);
}

void file_limit_apply(struct config *config)
{
    const uint64_t wanted = config->limits.value[LIMIT_CONNECTIONS];
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) != 0)
        return;
    const rlim_t before = files.rlim_cur;
    files.rlim_cur = files.rlim_max;
    if (setrlimit(RLIMIT_NOFILE, &files) != 0)
        files.rlim_cur = before;
    file_limit_share(config, files.rlim_cur);
    const unsigned long long allowed = files.rlim_cur, connections = config->limits.value[LIMIT_CONNECTIONS];
    if (connections < wanted)
        log_warn(
            "only %llu connections instead of %llu: the system allows %llu open files; raise that with ulimit -Hn, "
            "LimitNOFILE= or docker run --ulimit nofile=",
            connections, (unsigned long long)wanted, allowed);
    else
        log_info("up to %llu connections and %u models at a time; the system allows %llu open files", connections,
                 config->models_max, allowed);
}
