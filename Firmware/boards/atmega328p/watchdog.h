/* The watchdog, which first drives EN low and then resets the controller. */
#ifndef WATCHDOG_H
#define WATCHDOG_H

/** Starts the watchdog: after 250 ms without watchdog_feed EN is low, and after another 250 ms the
    controller is reset. */
void watchdog_start(void);

/** Restarts the time-out, once in each round of the main loop. */
void watchdog_feed(void);

#endif
