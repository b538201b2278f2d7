// inotify_init1
import Darwin

func refused() { _ = inotify_init1(0) }
