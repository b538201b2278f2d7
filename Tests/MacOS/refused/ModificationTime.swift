// has no member 'st_mtim'
import Darwin

func refused(_ facts: stat) -> timespec { facts.st_mtim }
