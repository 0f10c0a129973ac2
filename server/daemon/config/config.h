/* config.h - the configuration of the daemon. options.c fills it once; afterwards any thread may read it. */
#pragma once

#include "base/limits.h"
#include "worker/sandbox_contract.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum log_format { LOG_TEXT, LOG_JSON, LOG_OFF };
enum watch_mode { WATCH_AUTO, WATCH_POLL, WATCH_OFF };
enum compress_mode { COMPRESS_AUTO, COMPRESS_OFF };
enum token_for { TOKEN_FOR_ALL, TOKEN_FOR_UPLOADS };

extern const char TCP_DEFAULT[]; /* option_table.c */

/* Words of --ready, by their places in options.def. */
enum ready_part { READY_POSES = 1, READY_PICTURES = 2, READY_MODELS = 4 };

enum { CONFIG_LOOPS_MAX = 64, CONFIG_ADMIN_CONNECTIONS_MAX = 16 };

/* The options that decide which files a model may open: file_access.h. */
struct file_policy {
    const char *uploads;       /* the upload folder under the root, with a trailing slash; "" the root; NULL: none */
    dev_t uploads_device;      /* of that folder, which may be moved while the server runs; */
    ino_t uploads_inode;       /* 0: not known */
    bool allows_hidden;        /* --allow-hidden */
    bool allows_hidden_models; /* --allow-hidden-models */
};

struct passed_sockets;

struct config {
    const char *root;  /* --root DIR, default "." */
    const char *http;  /* --http ADDR:PORT, default "127.0.0.1:7878"; "none"; given as a port alone it is whole here */
    const char *tcp;   /* --tcp ADDR:PORT, packets and HTTP; "none"; TCP_DEFAULT itself when not given */
    const char *admin; /* --admin ADDR:PORT, metrics and probes; "none" */
    const char *unix_path;       /* --unix PATH, packets and HTTP, or NULL */
    const char *unix_mode;       /* --unix-mode, octal digits: who may connect */
    const char *uploads;         /* --uploads DIR, or NULL: none are taken */
    struct file_policy files;    /* its `uploads` from upload_folder_find() */
    const char *token_file;      /* --token-file FILE, or NULL: no token is needed */
    enum token_for token_for;    /* --token-for all|uploads */
    const char *allow_host;      /* --allow-host NAMES, or NULL: see access_policy.h */
    const char *cors;            /* --cors ORIGINS, or NULL: pages of other origins read nothing */
    const char *frame_ancestors; /* --frame-ancestors LIST, or NULL: no page may show /embed/ in a frame */
    const char *trusted_proxy;   /* --trusted-proxy NETWORKS, or NULL: see proxy_policy.h */
    const char *cache_control;   /* --cache-control LIST: for how long caches may keep responses; see proxy_policy.h */
    uint32_t ready;              /* --ready, of enum ready_part: what makes /readyz fail */
    bool logs_probes;            /* --log-probes: probes that went well are in the request log too */
    enum compress_mode compress; /* --compress auto|off: bodies for clients that take them compressed */
    enum watch_mode watch;       /* --watch auto|poll|off: how changes of files are noticed */
    const char *cache_dir;       /* --cache-dir DIR: imported models on disk; "none" = no such folder */
    uint64_t cache_dir_bytes;    /* --cache-dir-size; 0 = a tenth of what the file system has free */
    uint64_t cache_bytes;        /* --cache-bytes, default a quarter of the machine's or cgroup's memory */
    uint32_t loops;              /* --loops, event loops: 1..CONFIG_LOOPS_MAX */
    uint32_t import_workers;     /* --import-workers, default max(1, cores - 1) */
    uint32_t render_workers;     /* --render-workers, default max(1, cores - 1); 0 = no rendering */
    const char *worker_dir;      /* --worker-dir, where posed-import and posed-render lie; default: beside posed */
    const char *gl;              /* --gl auto|osmesa|egl */
    const char *kernel;          /* --kernel, one of KERNEL_NAMES that this processor runs */
    enum sandbox_mode sandbox;   /* --sandbox try|require|off */
    bool is_self_test;           /* --self-test-sandbox */
    enum log_format log;         /* --log text|json|off: the access log on stderr */
    bool is_check_only;          /* --check-config */
    const char *health_url;      /* --health: probe a running server and exit 0 or 1 (container HEALTHCHECK) */
    struct limits limits;
    uint32_t models_max;  /* models in memory at a time; see file_limit.h */
    uint32_t refused_max; /* connections above LIMIT_CONNECTIONS that still get a 503; see file_limit.h */
    uint32_t work_threads, file_threads; /* that compute, and that wait for files: file_limit.h */

    const char *log_file;                /* --log-file FILE in place of stderr, or NULL */
    uint64_t drain_delay_ms;             /* --drain-delay: between SIGTERM and the drain */
    const struct passed_sockets *passed; /* listen at these (socket_activation.h), not at http, tcp, unix; or NULL */
    char sandbox_lack[256]; /* missing parts of the workers' sandbox, by worker_probe_sandbox(); "": none */
};
