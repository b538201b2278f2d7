/* The watchdog, which first drives EN low and then resets the controller. */
#ifndef WATCHDOG_H
#define WATCHDOG_H

/** Starts the watchdog: after 250 ms without a call to watchdog_feed, it sets EN low, and after
    another 250 ms, it resets the controller. */
void watchdog_start(void);

/** Restarts the timeout. The main loop calls this function once in each round. */
void watchdog_feed(void);

#endif
