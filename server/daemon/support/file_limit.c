/* file_limit.c - divides the file descriptors of the process among connections, models, workers and threads. */
#include "daemon/support/file_limit.h"

#include "base/buf.h"
#include "daemon/config/socket_activation.h"
#include "daemon/support/log.h"

#include <string.h>
#include <sys/resource.h>

/* The largest number of open files for each, as /proc/PID/fd shows it. */
enum {
    /* standard streams 3, for signals 3, the root 2, its changes, the folders of the disk cache and of uploads,
     * a listing 2, a model being stored 2, a worker being started 4, two fork servers of importers 2 each, and one that
     * makes way for another 2 */
    OWN_FILES = 25,
    FILES_FOR_LOG = 2,          /* and again, before the first is closed */
    FILES_PER_LOOP = 5 + 2 + 2, /* libuv's; message queues; one connection closing at once and one that moves */
    FILES_PER_IMPORT = 7, /* result, two sockets, the root and the model's folder, a file for the importer, and a result
                             being checked */
    FILES_PER_RENDERER = 2, /* sockets */
    FILES_PER_THREAD = 2,   /* from one file into another */
    FILES_PER_UPLOAD = 5,   /* its stage, once more for the importer, the file, the folder above it, the lock */
};

enum {
    WORK_THREADS = 4,        /* answers and requests that take long, */
    THREADS_PER_LOOP = 2,    /* and pieces of large answers (conn_body.c) */
    FILE_THREADS = 8,        /* listings, stores and checks on slow disks must not wait for each other, */
    UPLOAD_THREADS_MAX = 64, /* nor for uploads, each of which may wait for its disk */
    THREADS_MIN = 4,
    FILES_FOR_A_THREAD = 16, /* files for each thread, up to the wanted number */
    FILES_FOR_AN_UPLOAD = 48,
};

enum {
    REST_MIN = 8,       /* for connections and models */
    REST_SHARE = 8,     /* the part of all files below which workers and loops become fewer */
    MODELS_MAX = 16384, /* more than fit into any memory */
    MODELS_SHARE = 4,   /* the part that models have at least */
    REFUSED_MAX = 64,   /* connections above the limit that still get an answer */
    REFUSED_SHARE = 8,
};

static uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }
static uint64_t most(uint64_t a, uint64_t b) { return a > b ? a : b; }

static bool is_open(const char *address) { return address != NULL && strcmp(address, "none") != 0; }

static uint64_t uploads_of(const struct config *config)
{
    return config->uploads != NULL ? config->limits.value[LIMIT_UPLOADS] : 0;
}

/* All but connections and models. */
static uint64_t own_files(const struct config *config)
{
    const uint64_t ports = config->passed != NULL
                               ? config->passed->count
                               : 0u + is_open(config->http) + is_open(config->tcp) + is_open(config->unix_path);
    const uint64_t admin = is_open(config->admin) ? 1 + CONFIG_ADMIN_CONNECTIONS_MAX : 0;
    return OWN_FILES + admin + (config->log_file != NULL ? (uint64_t)FILES_FOR_LOG : 0) +
           (FILES_PER_LOOP + ports) * config->loops + FILES_PER_IMPORT * (uint64_t)config->import_workers +
           FILES_PER_RENDERER * (uint64_t)config->render_workers +
           FILES_PER_THREAD * ((uint64_t)config->work_threads + config->file_threads) +
           FILES_PER_UPLOAD * uploads_of(config);
}

static void set_threads(struct config *config, uint64_t files)
{
    const uint64_t working = WORK_THREADS + THREADS_PER_LOOP * (uint64_t)(config->loops - 1),
                   waiting = FILE_THREADS + least(uploads_of(config), UPLOAD_THREADS_MAX),
                   count = least(working + waiting, most(files / FILES_FOR_A_THREAD, THREADS_MIN));
    config->work_threads = (uint32_t)least(working, count / 2);
    config->file_threads = (uint32_t)(count - config->work_threads);
}

/* Removes one of the most numerous kind. False: there is only one of each. */
static bool have_one_less(struct config *config)
{
    uint32_t *const counts[] = {&config->loops, &config->import_workers, &config->render_workers};
    uint32_t *largest = counts[0];
    for (size_t i = 1; i < sizeof counts / sizeof *counts; i++)
        if (*counts[i] > *largest)
            largest = counts[i];
    if (*largest <= 1)
        return false;
    --*largest;
    return true;
}

int file_limit_share(struct config *config, uint64_t files, struct err *err)
{
    uint64_t *connections = &config->limits.value[LIMIT_CONNECTIONS], *uploads = &config->limits.value[LIMIT_UPLOADS];
    *uploads = least(*uploads, most(files / FILES_FOR_AN_UPLOAD, 1));
    do
        set_threads(config, files);
    while (own_files(config) + most(files / REST_SHARE, REST_MIN) > files && have_one_less(config));
    const uint64_t own = own_files(config);
    if (files < own + REST_MIN)
        return err_set(err, ERR_BAD_PARAMETER,
                       "the system allows %llu open files and the server needs %llu: raise that with ulimit -Hn, "
                       "LimitNOFILE= or docker run --ulimit nofile=",
                       (unsigned long long)files, (unsigned long long)own + REST_MIN);
    const uint64_t rest = files - own;
    config->refused_max = (uint32_t)least(rest / REFUSED_SHARE, REFUSED_MAX);
    const uint64_t shared = rest - config->refused_max;
    *connections = least(*connections, shared - shared / MODELS_SHARE - 1);
    config->models_max = (uint32_t)least(shared - *connections, MODELS_MAX);
    return 0;
}

int file_limit_apply(struct config *config, struct file_limit *out, struct err *err)
{
    *out = (struct file_limit){.wanted = *config, .files = UINT64_MAX};
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
        const rlim_t before = files.rlim_cur;
        files.rlim_cur = files.rlim_max;
        out->files = setrlimit(RLIMIT_NOFILE, &files) == 0 ? files.rlim_max : before;
    }
    return file_limit_share(config, out->files, err);
}

static void put_less(struct buf *out, const char *option, uint64_t now, uint64_t wanted)
{
    if (now < wanted)
        buf_printf(out, ", --%s %llu instead of %llu", option, (unsigned long long)now, (unsigned long long)wanted);
}

void file_limit_tell(const struct file_limit *limit, const struct config *config)
{
    const unsigned long long files = limit->files, connections = config->limits.value[LIMIT_CONNECTIONS];
    const struct config *wanted = &limit->wanted;
    const unsigned long long wanted_connections = wanted->limits.value[LIMIT_CONNECTIONS];
    struct buf less;
    buf_init(&less, 0);
    if (connections < wanted_connections)
        buf_printf(&less, "only %llu connections instead of %llu", connections, wanted_connections);
    put_less(&less, "max-uploads", uploads_of(config), uploads_of(wanted));
    put_less(&less, "loops", config->loops, wanted->loops);
    put_less(&less, "import-workers", config->import_workers, wanted->import_workers);
    put_less(&less, "render-workers", config->render_workers, wanted->render_workers);
    buf_put_char(&less, '\0');
    if (less.size_bytes > 1)
        log_warn("%s: the system allows %llu open files; raise that with ulimit -Hn, LimitNOFILE= or docker run "
                 "--ulimit nofile=",
                 less.data + (less.data[0] == ',' ? 2 : 0), files);
    else
        log_info("up to %llu connections and %u models at a time; the system allows %llu open files", connections,
                 config->models_max, files);
    buf_fini(&less);
}
