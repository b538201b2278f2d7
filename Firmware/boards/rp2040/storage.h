/*
 * Configurations and locks in the last two sectors of the first 2 MB of the flash. Of these one
 * counts, and records are appended to it; when it is full, those that count move to the other.
 * Nothing waits for the flash: the work is done in steps.
 */
#ifndef STORAGE_H
#define STORAGE_H

/** Finds the records in the flash. */
void storage_start(void);

/** Does a step of what is to be stored, if the flash is ready for it. */
void storage_poll(void);

#endif
