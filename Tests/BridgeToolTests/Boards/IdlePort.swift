// IdlePort: a port with a USB identity but without a device.

import Foundation
import POSIX
import TestSupport

/// A port on which no board answers, used to test the decisions that `bridge` makes before it sends
/// anything.
final class IdlePort: PluggedPort {
    private let master: Int32
    private let openings: OpenWatch

    init(_ usb: USB = .uno, port: String = "ttyACM7", latency: Int? = nil) throws {
        // The number of a terminal is reused once it is free, although programs of other tests may
        // still try to open the previous terminal with this number. The system assigns low numbers
        // first, so this port uses a terminal with a high number.
        var pairs: [(master: Int32, slave: Int32)] = []
        for _ in 0..<32 {
            var (master, slave) = (Int32(-1), Int32(-1))
            guard openpty(&master, &slave, nil, nil, nil) == 0 else { break }
            pairs.append((master, slave))
        }
        guard let (master, slave) = pairs.popLast() else { throw CocoaError(.fileWriteUnknown) }
        for pair in pairs {
            close(pair.master)
            close(pair.slave)
        }
        let terminal = terminalPath(of: slave)!
        close(slave)
        self.master = master
        openings = OpenWatch([terminal])
        try super.init(usb, port: port, terminal: terminal, latency: latency)
    }

    deinit { close(master) }

    /// Returns true if a program has opened the port since the last call.
    func hasBeenOpened() -> Bool { openings.hasSeenOpen() }

    /// Runs a closure while the port is locked as if another program used it.
    func whileLocked(_ body: () throws -> Void) throws {
        let descriptor = open(terminal, O_RDWR | O_NOCTTY)
        defer { close(descriptor) }
        guard flock(descriptor, LOCK_EX) == 0 else { throw CocoaError(.fileLocking) }
        _ = hasBeenOpened()
        try body()
    }

    /// True if the library that presents the port has been built, so that the tests can run.
    static let isHere = isExpected()
}
