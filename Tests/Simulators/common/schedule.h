// The schedule of events, at clock cycles since power-up of the program.
#ifndef SCHEDULE_H
#define SCHEDULE_H

#include <stddef.h>
#include <stdint.h>

#define SCHEDULE_NEVER UINT64_MAX
#define SCHEDULE_CAPACITY 32u

// An event, which can be scheduled once at a time.
struct event {
    uint64_t due; // SCHEDULE_NEVER if it is not
    void (*happen)(void *owner, uint64_t when);
    void *owner;
};

struct schedule {
    struct event *events[SCHEDULE_CAPACITY]; // of two that are due at once the first goes first
    size_t count;
    uint64_t next; // when the earliest is due
};

void schedule_init(struct schedule *schedule);

// Initializes an event that is not scheduled.
void schedule_add(struct schedule *schedule, struct event *event,
                  void (*happen)(void *owner, uint64_t when), void *owner);

// Schedules the event for `when`, in place of its previous time.
void schedule_at(struct schedule *schedule, struct event *event, uint64_t when);

void schedule_cancel(struct schedule *schedule, struct event *event);

// Executes the events up to and including cycle `until`, in order.
void schedule_run(struct schedule *schedule, uint64_t until);

#endif
