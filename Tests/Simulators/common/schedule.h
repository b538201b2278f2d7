// A schedule of events at clock cycles, which are counted from the start of the program.
#ifndef SCHEDULE_H
#define SCHEDULE_H

#include <stddef.h>
#include <stdint.h>

#define SCHEDULE_NEVER UINT64_MAX
#define SCHEDULE_CAPACITY 32u

// An event, which can be scheduled for only one time.
struct event {
    uint64_t due; // SCHEDULE_NEVER if the event is not scheduled
    void (*happen)(void *owner, uint64_t when);
    void *owner;
};

struct schedule {
    struct event *events[SCHEDULE_CAPACITY]; // the events; events that are due at the same time are
                                             // executed in this order
    size_t count;
    uint64_t next; // the cycle at which the earliest event is due
};

void schedule_init(struct schedule *schedule);

// Adds an event to the schedule without a time.
void schedule_add(struct schedule *schedule, struct event *event,
                  void (*happen)(void *owner, uint64_t when), void *owner);

// Schedules the event for `when`. This time replaces the previous time of the event.
void schedule_at(struct schedule *schedule, struct event *event, uint64_t when);

void schedule_cancel(struct schedule *schedule, struct event *event);

// Executes the events that are due up to and including the cycle `until`, in order.
void schedule_run(struct schedule *schedule, uint64_t until);

#endif
