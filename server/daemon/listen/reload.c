#include "daemon/listen/reload.h"

#include "base/mem.h"
#include "daemon/support/fd.h"
#include "daemon/support/log.h"
#include "daemon/support/notify.h"
#include "daemon/threads/work.h"

#include <stdlib.h>

struct reload {
    uv_loop_t *loop;
    const struct config *config;
    struct loops *loops;
    struct work work;
    bool is_working; /* until every loop uses the policy */
    bool is_again;   /* another reload was requested meanwhile */
    bool is_stopped;
    /* of the work thread: */
    struct access_policy *before, *policy; /* references; `policy` is NULL where it failed, or nothing is read again */
    int log_fd;                            /* -1: likewise */
    struct err policy_err, log_err;
};

static void read_files(struct work *work)
{
    struct reload *reload = work->data;
    const struct config *config = reload->config;
    if (access_policy_has_files(config))
        access_policy_new(config, reload->before, &reload->policy, &reload->policy_err);
    if (config->log_file != NULL)
        reload->log_fd = log_file_open(config->log_file, &reload->log_err);
}

static void finish(struct reload *reload)
{
    access_policy_unref(reload->before);
    access_policy_unref(reload->policy);
    reload->before = reload->policy = NULL;
    reload->is_working = false;
    notify_state("READY=1");
    if (reload->is_again && !reload->is_stopped)
        reload_start(reload);
}

static void on_used(void *user, uint32_t revoked_count)
{
    struct reload *reload = user;
    struct buf changes;
    buf_init(&changes, 0);
    access_policy_put_changes(reload->config, reload->before, reload->policy, &changes);
    if (revoked_count > 0)
        buf_printf(&changes, "; ended %u connection%s of removed tokens", revoked_count, revoked_count == 1 ? "" : "s");
    log_info("reloaded: %.*s", (int)changes.size_bytes, changes.data);
    buf_fini(&changes);
    finish(reload);
}

static void use_log_file(struct reload *reload)
{
    if (reload->log_fd >= 0) {
        log_use_file(reload->log_fd);
        log_info("reloaded: the log file is opened again");
    } else if (reload->log_err.code != 0) {
        log_warn("not reloaded: %s; the log stays in the file that was open", reload->log_err.message);
    }
    reload->log_fd = -1;
}

static void on_read(struct work *work, int status)
{
    struct reload *reload = work->data;
    (void)status;
    if (reload->is_stopped) {
        fd_close(reload->log_fd);
        finish(reload);
        return;
    }
    use_log_file(reload);
    if (reload->policy_err.code != 0)
        log_warn("not reloaded: %s; who may ask stays as it was", reload->policy_err.message);
    if (reload->policy == NULL || !loops_use_policy(reload->loops, reload->policy, on_used, reload))
        finish(reload);
}

struct reload *reload_new(uv_loop_t *loop, const struct config *config, struct loops *loops)
{
    struct reload *reload = mem_zalloc(1, sizeof *reload);
    reload->loop = loop;
    reload->config = config;
    reload->loops = loops;
    reload->work.data = reload;
    return reload;
}

void reload_start(struct reload *reload)
{
    if (reload->is_stopped)
        return;
    if (!access_policy_has_files(reload->config) && reload->config->log_file == NULL) {
        log_info("SIGHUP: there is nothing to reload: no --token-file, no @FILE of --allow-host, --cors or "
                 "--frame-ancestors, no --log-file; SIGTERM ends the server");
        return;
    }
    reload->is_again = reload->is_working;
    if (reload->is_working)
        return;
    notify_reloading();
    reload->is_working = true;
    reload->policy_err = reload->log_err = (struct err){0};
    reload->log_fd = -1;
    reload->before = access_policy_ref(loops_policy(reload->loops));
    work_start(reload->loop, WORK_FILES, &reload->work, read_files, on_read);
}

void reload_stop(struct reload *reload) { reload->is_stopped = true; }

void reload_free(struct reload *reload) { free(reload); }
