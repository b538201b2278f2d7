#include "schedule.h"

#include <assert.h>

static struct event *earliest(const struct schedule *schedule) {
    struct event *first = schedule->events[0];
    for (size_t index = 1; index < schedule->count; index++) {
        if (schedule->events[index]->due < first->due) {
            first = schedule->events[index];
        }
    }
    return first;
}

void schedule_init(struct schedule *schedule) {
    schedule->count = 0;
    schedule->next = SCHEDULE_NEVER;
}

void schedule_add(struct schedule *schedule, struct event *event,
                  void (*happen)(void *owner, uint64_t when), void *owner) {
    assert(schedule->count < SCHEDULE_CAPACITY);
    *event = (struct event){.due = SCHEDULE_NEVER, .happen = happen, .owner = owner};
    schedule->events[schedule->count++] = event;
}

void schedule_at(struct schedule *schedule, struct event *event, uint64_t when) {
    event->due = when;
    schedule->next = earliest(schedule)->due;
}

void schedule_cancel(struct schedule *schedule, struct event *event) {
    schedule_at(schedule, event, SCHEDULE_NEVER);
}

void schedule_run(struct schedule *schedule, uint64_t until) {
    while (schedule->next <= until) {
        struct event *event = earliest(schedule);
        uint64_t when = event->due;
        schedule_cancel(schedule, event);
        event->happen(event->owner, when);
    }
}
