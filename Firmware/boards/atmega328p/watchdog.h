/* The watchdog, which first drives EN low and then resets the controller. */
#ifndef WATCHDOG_H
#define WATCHDOG_H

/** Starts the watchdog: 250 ms without watchdog_feed, and EN is low; as long again, and the
   controller is reset. */
void watchdog_start(void);

/** Says that the main loop has come round. */
void watchdog_feed(void);

#endif
