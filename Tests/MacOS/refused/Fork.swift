// Please use threads or posix_spawn*()
import Darwin

func refused() { _ = fork() }
