/* Two dispatchers, the hub and the service over real files, and a fake importer: the main loop and another one, which
 * both run here in turns. */
#include "base/container_of.h"
#include "daemon/threads/work.h"
#include "daemon/dispatch/dispatcher.h"
#include "daemon/cache/cache.h"
#include "tests/unit/support/check.h"
#include "tests/unit/support/fake_imports.h"
#include "tests/unit/support/parse_request.h"

#include <string.h>
#include <unistd.h>

struct client {
    struct call call;
    int answers, code, status;
};

static struct stand {
    struct temp_tree root;
    uv_loop_t main_loop, other_loop;
    uv_async_t keep_alive;
    struct config config;
    struct budget budget;
    struct service *service;
    struct hub *hub;
    struct dispatcher *main, *other;
    struct change_listener listeners[2];
    int changed[2], ended;
} stand;

static void on_changed(struct change_listener *listener, const char *path)
{
    assert_string_equal(path, "a.glb");
    stand.changed[listener - stand.listeners]++;
}

static void on_ended(void *user) { ++*(int *)user; }

static void setup(void)
{
    struct err err;
    stand = (struct stand){.budget.max_bytes = 1 << 30};
    temp_tree_init(&stand.root);
    temp_tree_file(&stand.root, "a.glb", "model");
    temp_tree_file(&stand.root, "b.glb", "model");
    uv_loop_init(&stand.main_loop);
    uv_loop_init(&stand.other_loop);
    uv_async_init(&stand.main_loop, &stand.keep_alive, NULL);
    limits_default(&stand.config.limits);
    stand.config.root = stand.root.path;
    stand.config.cache_dir = "none";
    stand.config.cache_bytes = 1 << 30;
    stand.config.models_max = 100;
    stand.config.kernel = "auto";
    fake_imports_for_services(&stand.root);
    assert_int_equal(service_new(&stand.main_loop, &stand.config, &stand.budget, &stand.service, &err), 0);
    stand.hub = hub_new(&stand.main_loop, stand.service, NULL);
    stand.main = dispatcher_new(&stand.main_loop, &stand.config, &stand.budget, stand.hub);
    stand.other = dispatcher_new(&stand.other_loop, &stand.config, &stand.budget, stand.hub);
    for (int i = 0; i < 2; i++) {
        stand.listeners[i].changed = on_changed;
        dispatcher_listen(i == 0 ? stand.main : stand.other, &stand.listeners[i]);
    }
    hub_on_end(stand.hub, on_ended, &stand.ended);
}

static void turn(void)
{
    dispatcher_next_tick(stand.main);
    uv_run(&stand.main_loop, UV_RUN_NOWAIT);
    dispatcher_next_tick(stand.other);
    uv_run(&stand.other_loop, UV_RUN_NOWAIT);
    usleep(1000);
}

#define UNTIL(condition)                                                                                               \
    do {                                                                                                               \
        for (int turns = 0; turns < 5000 && !(condition); turns++)                                                     \
            turn();                                                                                                    \
        assert_true(condition);                                                                                        \
    } while (0)

static void teardown(void)
{
    dispatcher_end(stand.other);
    UNTIL(stand.ended == 1);
    service_free(stand.service);
    uv_close((uv_handle_t *)&stand.keep_alive, NULL);
    uv_run(&stand.main_loop, UV_RUN_DEFAULT);
    uv_run(&stand.other_loop, UV_RUN_DEFAULT);
    dispatcher_free(stand.main);
    dispatcher_free(stand.other);
    hub_free(stand.hub);
    work_loop_close(&stand.main_loop);
    assert_int_equal(uv_loop_close(&stand.main_loop), 0);
    work_loop_close(&stand.other_loop);
    assert_int_equal(uv_loop_close(&stand.other_loop), 0);
    temp_tree_fini(&stand.root);
    fake_imports(NULL);
}

/* The other dispatcher has ended: another one for teardown() to end. */
static void replace_other(void)
{
    turn(); /* its queue and the hub's are closed */
    dispatcher_free(stand.other);
    stand.ended = 0;
    stand.other = dispatcher_new(&stand.other_loop, &stand.config, &stand.budget, stand.hub);
}

static void on_done(struct call *call, struct reply *reply)
{
    struct client *client = container_of(call, struct client, call);
    client->answers++;
    client->code = reply->code;
    client->status = reply->status;
    reply_fini(reply);
    request_fini(&call->request);
}

/* Returns true if the answer was there at once. */
static bool ask_in_this_turn(struct dispatcher *dispatcher, struct client *client, const char *target)
{
    *client = (struct client){.call = {.request = parse_request(target), .done = on_done}};
    dispatcher_begin_read(dispatcher);
    dispatcher_handle(dispatcher, &client->call);
    return client->answers > 0;
}

static bool ask(struct dispatcher *dispatcher, struct client *client, const char *target)
{
    dispatcher_next_tick(stand.main);
    return ask_in_this_turn(dispatcher, client, target);
}

static const char A[] = "/v1/model?model=a.glb";

static void fill(struct dispatcher *dispatcher)
{
    struct client client;
    const uint32_t before = fake.submitted;
    assert_false(ask(dispatcher, &client, A));
    UNTIL(fake.submitted == before + 1);
    fake_end_well();
    UNTIL(client.answers == 1);
    assert_int_equal(client.code, 0);
    assert_int_equal(client.call.origin, MODEL_IMPORTED);
}

TEST(dispatcher_answers_from_shared_models)
{
    struct client client;
    setup();
    fill(stand.other);
    for (int i = 0; i < 3; i++) {
        assert_true(ask(stand.other, &client, A));
        assert_int_equal(client.code, 0);
        assert_int_equal(client.call.origin, MODEL_IN_MEMORY);
    }
    /* the main loop's dispatcher learns of the model from the first call that the service answers at once */
    assert_true(ask(stand.main, &client, A));
    assert_true(ask(stand.main, &client, A));
    assert_int_equal(fake.submitted, 1);
    teardown();
}

TEST(dispatcher_sees_changes_before_it_answers)
{
    for (int i = 0; i < 2; i++) {
        struct client before, after;
        setup();
        struct dispatcher *dispatcher = i == 0 ? stand.main : stand.other;
        fill(dispatcher);
        assert_true(ask(dispatcher, &before, A));
        temp_tree_file(&stand.root, "a.glb", "another model");
        assert_false(ask(dispatcher, &after, A));
        UNTIL(fake.submitted == 2);
        fake_end_well();
        UNTIL(after.answers == 1);
        UNTIL(stand.changed[0] == 1 && stand.changed[1] == 1);
        assert_true(ask(dispatcher, &before, A));
        teardown();
    }
}

/* The answer to one request may have caused the change, and the next request, within a turn of the main loop. */
TEST(dispatcher_sees_changes_within_a_turn)
{
    struct client client;
    setup();
    fill(stand.main);
    dispatcher_next_tick(stand.main);
    for (int i = 0; i < 3; i++)
        assert_true(ask_in_this_turn(stand.main, &client, "/v1/palette?model=a.glb&estimate=1"));
    assert_int_equal(client.status, 200);
    assert_true(ask_in_this_turn(stand.main, &client, A));
    temp_tree_file(&stand.root, "a.glb", "model 2");
    assert_false(ask_in_this_turn(stand.main, &client, A));
    UNTIL(fake.submitted == 2);
    fake_end_well();
    UNTIL(client.answers == 1);
    assert_int_equal(client.call.origin, MODEL_IMPORTED);
    teardown();
}

TEST(dispatcher_checks_the_content_that_is_wanted)
{
    struct client client;
    setup();
    fill(stand.other);
    assert_false(ask(stand.other, &client,
                     "/v1/model?model=a.glb&"
                     "hash=ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"));
    UNTIL(client.answers == 1);
    assert_int_equal(client.code, ERR_HASH_MISMATCH);
    teardown();
}

TEST(dispatcher_cancels_calls_of_both_loops)
{
    for (int i = 0; i < 2; i++) {
        struct client client, patient;
        setup();
        struct dispatcher *dispatcher = i == 0 ? stand.main : stand.other;
        assert_false(ask(dispatcher, &client, A));
        dispatcher_cancel(dispatcher, &client.call); /* perhaps before the hub has it */
        UNTIL(client.answers == 1);
        assert_true(client.call.is_abandoned);
        assert_false(ask(dispatcher, &client, A));
        assert_false(ask(stand.main, &patient, A));
        UNTIL(fake.submitted > 0 && fake.jobs[fake.submitted - 1] != NULL);
        dispatcher_cancel(dispatcher, &client.call);
        UNTIL(client.answers == 1);
        fake_end_well();
        UNTIL(patient.answers == 1);
        assert_int_equal(patient.code, 0);
        teardown();
    }
}

TEST(dispatcher_that_ends_waits_for_its_calls)
{
    struct client client;
    setup();
    assert_false(ask(stand.other, &client, A));
    UNTIL(fake.submitted == 1);
    dispatcher_end(stand.other);
    for (int i = 0; i < 20; i++)
        turn();
    assert_int_equal(stand.ended, 0);
    fake_end_well();
    UNTIL(stand.ended == 1);
    assert_int_equal(client.answers, 1);
    replace_other();
    teardown();
}

TEST(service_answers_what_it_cuts_off)
{
    struct client waits, lists;
    setup();
    assert_false(ask(stand.main, &waits, A));
    UNTIL(fake.submitted == 1);
    assert_false(ask(stand.main, &lists, "/v1/models"));
    dispatcher_end(stand.other);
    UNTIL(stand.ended == 1);
    replace_other();
    teardown();
    assert_int_equal(waits.answers, 1);
    assert_int_equal(waits.code, ERR_SHUTTING_DOWN);
    assert_int_equal(lists.answers, 1);
}

TEST(service_refuses_pictures_before_it_imports)
{
    struct client client;
    setup(); /* without renderers */
    static const char *const TARGETS[] = {"/v1/render?model=a.glb", "/v1/sheet?model=a.glb",
                                          "/v1/turntable?model=a.glb"};
    for (int i = 0; i < 3; i++) {
        assert_true(ask(stand.main, &client, TARGETS[i]));
        assert_int_equal(client.code, ERR_UNAVAILABLE);
        assert_false(ask(stand.other, &client, TARGETS[i]));
        UNTIL(client.answers == 1);
        assert_int_equal(client.code, ERR_UNAVAILABLE);
    }
    for (int i = 0; i < 20; i++)
        turn();
    assert_int_equal(fake.submitted, 0);
    teardown();
}

TEST(service_tells_where_models_came_from)
{
    struct client client;
    setup();
    fill(stand.main);
    assert_false(ask(stand.main, &client, "/v1/palette?model=a.glb&clip_file=b.glb&clip=0"));
    UNTIL(fake.submitted == 2);
    usleep(20000); /* in the queue */
    fake_begin();
    fake_end_well();
    UNTIL(client.answers == 1);
    assert_int_equal(client.call.origin, MODEL_IMPORTED);
    assert_true(client.call.queue_ns >= 20000000);
    teardown();
}
