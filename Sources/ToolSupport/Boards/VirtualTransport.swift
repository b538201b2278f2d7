// VirtualTransport: connects a board in this process to the link. The board uses the clock of this
// computer.

import BridgeLink
import CDRV2605Model
import DRV2605
import POSIX
import SerialPorts
import VirtualBoard

/// Measures the drive that a virtual chip applies to its actuator. The methods may be called from
/// any thread.
package final class DriveMeter: Sendable {
    /// The current drive, and the maximum drive since the last call of `resetPeak()`, 0...255. The
    /// value 255 is full scale.
    private let drive = LockedValue((now: 0, peak: 0))

    package init() {}

    package func record(_ level: Int) {
        drive.withLock { $0 = (abs(level), max($0.peak, abs(level))) }
    }

    /// Returns the maximum drive since the last call, 0...255. The value 255 is full scale. The
    /// maximum includes even the shortest tap.
    package func resetPeak() -> Int {
        drive.withLock { drive in
            defer { drive.peak = drive.now }
            return drive.peak
        }
    }
}

/// An in-process board that is advanced to the current time whenever the link reads or writes.
package final class VirtualTransport: Transport {
    package static let name = "virtual board"

    package var eventSignal: EventSignal?
    private let board: InProcessBoard
    /// The host time of board time 0.
    private let origin: HostTime
    private let trace: BusTrace?
    package let meter: DriveMeter
    /// The bytes that the board has sent and that the link has not read yet.
    private var onTheLine: [SentByte] = []

    /// The interval between two advances of the board during a wait, in microseconds.
    private static let slice: Microseconds = 500

    /// Starts a virtual board in this process.
    ///
    /// - Parameters:
    ///   - board: a board that has just booted; nil for a board with an LRA and an accelerometer.
    ///   - trace: the path of a file that records the bus transactions, each with the host time of
    ///     its START in microseconds and its bytes; nil to record nothing.
    ///   - meter: the meter that measures the drive of the board.
    package init(
        _ board: InProcessBoard? = nil, trace: String? = nil, _ meter: DriveMeter = DriveMeter()
    ) throws(BusTrace.Failure) {
        self.meter = meter
        let board = board ?? InProcessBoard(options: Self.options)
        self.board = board
        let origin = Link.now()
        self.origin = origin
        self.trace =
            if let trace {
                try BusTrace(trace) { "\((origin + $0.start).microseconds) \($0.hexadecimal)" }
            } else {
                nil
            }
        board.onDriveChange = { meter.record($0.drive) }
    }

    private static var options: InProcessBoard.Options {
        var options = InProcessBoard.Options()
        options.configuration = ActuatorConfiguration.coinLRA.bytes
        options.sensor = ACCELEROMETER_LSM6DSO
        return options
    }

    package var path: String { Self.name }

    package func read(upTo count: Int, timeout: Microseconds) throws(TransportError) -> [UInt8] {
        let deadline = Link.now() + timeout
        while true {
            let now = try advance()
            let arrived = onTheLine.prefix(count).prefix { $0.time <= now - origin }
            onTheLine.removeFirst(arrived.count)
            if !arrived.isEmpty || now >= deadline { return arrived.map(\.byte) }
            let slice = min(Self.slice, deadline - now)
            guard let eventSignal else {
                hostClock.sleep(for: slice)
                continue
            }
            if eventSignal.wait(timeout: slice) { return [] }
        }
    }

    package func write(_ bytes: [UInt8]) throws(TransportError) -> Int {
        board.send(bytes, at: try advance() - origin)
        return bytes.count
    }

    package func unsentCount() throws(TransportError) -> Int { 0 }

    package func close() {
        _ = try? advance()
        trace?.close()
    }

    /// Advances the board to the current host time, and returns this time. A failure to write the
    /// trace is treated as a failure of the board, because the trace would be incomplete.
    private func advance() throws(TransportError) -> HostTime {
        let now = Link.now()
        board.advance(to: now - origin)
        onTheLine += board.drainSent()
        do {
            try trace?.write(board.transactions)
        } catch {
            throw .failed(path: error.path, operation: "writing the trace", code: error.code)
        }
        board.forgetTrace()
        return now
    }
}
