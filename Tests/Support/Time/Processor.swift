// Processor: keeps the threads of a virtual clock on one processor.

import Foundation
import SerialPorts

/// The processors of this computer.
enum Processor {
    /// A function of the GNU C library that reads or sets the processors of a thread. Swift does not
    /// import these functions, because they are extensions.
    private typealias Affinity = @convention(c) (pid_t, Int, UnsafeMutableRawPointer) -> Int32

    private static let started = LockedValue(0)

    /// Keeps the calling thread, and every thread and process that it starts, on one processor if the
    /// system allows it. The threads of a virtual clock run one at a time, and passing the turn to
    /// another processor takes several times as long. The processors are used in turn.
    static func keepThread() {
        guard !allowed.isEmpty, let set = function("sched_setaffinity") else { return }
        let number = started.withLock { started in
            started += 1
            return started
        }
        let processor = allowed[number % allowed.count]
        var mask = [UInt8](repeating: 0, count: maskSize)
        mask[processor / 8] = 1 << (processor % 8)
        _ = set(0, mask.count, &mask)
    }

    /// The size of a set of 1,024 processors, in bytes.
    private static let maskSize = 128

    /// The processors on which this process may run; empty if they are unknown.
    private static let allowed: [Int] = {
        var mask = [UInt8](repeating: 0, count: maskSize)
        guard let get = function("sched_getaffinity"), get(getpid(), mask.count, &mask) == 0
        else { return [] }
        return (0..<8 * mask.count).filter { mask[$0 / 8] & 1 << ($0 % 8) != 0 }
    }()

    private static func function(_ name: String) -> Affinity? {
        dlsym(dlopen(nil, RTLD_NOW), name).map { unsafeBitCast($0, to: Affinity.self) }
    }
}
