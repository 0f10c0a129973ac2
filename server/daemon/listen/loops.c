/* loops.c - all event loops: makes them, starts serving, changes their policy, drains them.
 *
 * --admin has its own loop, so that probes get responses whatever clients do: it sends calls to the service like the
 * other loops, but answers liveness probes itself. */
#include "daemon/listen/loop.h"

#include "base/container_of.h"
#include "base/mem.h"

#include <stdlib.h>

int loops_serve(struct loops *loops, struct service *service, struct err *err)
{
    struct conn_group *main = &loops->list[0]->group;
    stats_set(STAT_LOOPS_COUNT, loops->config->loops);
    loops->hub = hub_new(main->loop, service, main);
    loops->may_come = loops->count > 1;
    for (uint32_t i = 0; i < loops->count; i++)
        loop_prepare(loops->list[i]);
    service_use_access(service, main->access);
    for (uint32_t i = 1; i < loops->count; i++)
        if (loop_start(loops->list[i], err) < 0)
            return err->code;
    return 0;
}

static int bind_ports(struct loop *loop, struct err *err)
{
    if (loop_is_admin(loop))
        return ports_bind_admin(loop->ports, err);
    return loop->number == 0 ? ports_bind(loop->ports, err) : ports_join(loop->ports, loop->loops->list[0]->ports, err);
}

static int add(struct loops *loops, uv_loop_t *main_loop, struct access_policy *policy, struct err *err)
{
    const bool is_main = loops->count == 0;
    struct loop *loop = mem_zalloc(1, sizeof *loop);
    struct conn_group *group = &loop->group;
    const int rc = is_main ? 0 : uv_loop_init(&loop->own);
    if (rc < 0) {
        free(loop);
        return err_set(err, ERR_BAD_PARAMETER, "cannot make loop %u: %s", loops->count + 1, uv_strerror(rc));
    }
    loop->number = loops->count;
    loop->loops = loops;
    loops->list[loops->count++] = loop;
    group->loop = is_main ? main_loop : &loop->own;
    group->config = loops->config;
    group->budget = loops->budget;
    loop->policy = access_policy_ref(policy);
    group->access = &policy->access;
    group->proxies = &loops->proxies;
    group->all_open_count = &loops->open_count;
    group->addresses = loops->addresses;
    loop_init(loop);
    return bind_ports(loop, err);
}

int loops_new(uv_loop_t *main_loop, const struct config *config, struct budget *budget, struct loops **out,
              struct err *err)
{
    const uint32_t count = config->loops + (ports_want_admin(config) ? 1 : 0);
    struct loops *loops = mem_zalloc(1, sizeof *loops + count * sizeof *loops->list);
    loops->config = config;
    loops->budget = budget;
    loops->addresses = address_counts_new();
    *out = NULL;
    struct access_policy *policy;
    int rc = access_policy_new(config, NULL, &policy, err);
    if (rc == 0)
        rc = proxy_policy_init(config, &loops->proxies, err);
    while (rc == 0 && loops->count < count)
        rc = add(loops, main_loop, policy, err);
    access_policy_unref(policy);
    if (rc < 0)
        loops_free(loops);
    else
        *out = loops;
    return rc;
}

static void count_policy(struct loop *loop)
{
    struct loops *loops = loop->loops;
    loops->revoked_count += loop->revoked_count;
    if (--loops->policy_pending == 0)
        loops->policy_used(loops->policy_user, loops->revoked_count);
}

static void on_used_policy(struct message *message) { count_policy(container_of(message, struct loop, used_policy)); }

struct access_policy *loops_policy(const struct loops *loops) { return loops->list[0]->policy; }

bool loops_use_policy(struct loops *loops, struct access_policy *policy,
                      void (*used)(void *user, uint32_t revoked_count), void *user)
{
    if (loops->is_draining)
        return false;
    loops->policy_pending = loops->count;
    loops->revoked_count = 0;
    loops->policy_used = used;
    loops->policy_user = user;
    for (uint32_t i = 1; i < loops->count; i++) {
        struct loop *loop = loops->list[i];
        loop->next_policy = access_policy_ref(policy);
        loop->use_policy.take = loop_take_policy;
        loop->used_policy.take = on_used_policy;
        dispatcher_post(loop->group.dispatcher, &loop->use_policy);
    }
    service_use_access(hub_service(loops->hub), &policy->access);
    loop_use_policy(loops->list[0], access_policy_ref(policy));
    count_policy(loops->list[0]);
    return true;
}

uint64_t loops_longest_silence_ms(const struct loops *loops)
{
    const uint64_t now_ns = uv_hrtime();
    uint64_t longest_ms = 0;
    for (uint32_t i = 0; i < loops->count; i++) {
        const uint64_t beat_ns = loops->list[i]->beat_ns;
        const uint64_t silent_ms = beat_ns < now_ns ? (now_ns - beat_ns) / 1000000 : 0;
        longest_ms = silent_ms > longest_ms ? silent_ms : longest_ms;
    }
    return longest_ms;
}

void loops_put_addresses(const struct loops *loops, struct buf *out)
{
    ports_put_addresses(loops->list[0]->ports, out);
    if (loops->count > loops->config->loops)
        ports_put_addresses(loops->list[loops->count - 1]->ports, out);
}

/* The other loops have ended. */
static void on_ended(void *user)
{
    struct loops *loops = user;
    loops->may_come = false;
    loop_finish_drain(loops->list[0]);
}

void loops_drain(struct loops *loops, void (*drained)(void *user), void *user)
{
    loops->is_draining = true;
    hub_on_end(loops->hub, on_ended, loops);
    for (uint32_t i = 1; i < loops->count; i++) {
        struct loop *loop = loops->list[i];
        loop->drain.take = loop_take_drain;
        dispatcher_post(loop->group.dispatcher, &loop->drain);
    }
    loop_drain(loops->list[0], drained, user);
}

void loops_free(struct loops *loops)
{
    if (loops == NULL)
        return;
    while (loops->count > 0)
        loop_free(loops->list[--loops->count]);
    hub_free(loops->hub);
    proxy_policy_fini(&loops->proxies);
    address_counts_free(loops->addresses);
    free(loops);
}
