#include "daemon/support/job_queue.h"

#include <utlist.h>
#include <uv.h>

static void count(struct job_queue *queue, struct job_queue_entry *entry, bool is_queued)
{
    entry->is_queued = is_queued;
    queue->count += is_queued ? 1 : (uint64_t)-1;
    if (queue->waiting != STAT_COUNT)
        stats_set(queue->waiting, queue->count);
}

int job_queue_put(struct job_queue *queue, struct job_queue_entry *entry, struct err *err)
{
    if (queue->count >= queue->limits->value[queue->limit]) {
        if (queue->refused != STAT_COUNT)
            stats_add(queue->refused, 1);
        return err_set(err, ERR_OVERLOADED, "as many %s as %s already wait; try again later", queue->what,
                       LIMIT_TEXT(queue->limits, queue->limit));
    }
    DL_APPEND(queue->first, entry);
    entry->queued_ns = uv_hrtime();
    count(queue, entry, true);
    return 0;
}

void job_queue_put_back(struct job_queue *queue, struct job_queue_entry *entry)
{
    DL_PREPEND(queue->first, entry);
    entry->queued_ns = uv_hrtime();
    count(queue, entry, true);
}

void job_queue_remove(struct job_queue *queue, struct job_queue_entry *entry)
{
    DL_DELETE(queue->first, entry);
    count(queue, entry, false);
}

void job_queue_start(struct job_queue *queue, struct job_queue_entry *entry)
{
    job_queue_remove(queue, entry);
    metrics_count_wait(queue->wait, uv_hrtime() - entry->queued_ns);
}

struct job_queue_entry *job_queue_take(struct job_queue *queue)
{
    struct job_queue_entry *first = queue->first;
    if (first != NULL)
        job_queue_start(queue, first);
    return first;
}
