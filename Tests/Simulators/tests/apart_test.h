// Runs a function that ends its process in a separate process.
#ifndef APART_TEST_H
#define APART_TEST_H

#define EXIT_CRASH 70 // the exit status of the simulators after a crash
#define MESSAGE_MAX 256u

// Returns the exit status, or -1 if a signal ended the process, and stores the first line of
// standard error.
int run_apart(void (*run)(void *owner), void *owner, char message[MESSAGE_MAX]);

#endif
