// InstalledProgram: finds and runs programs that are installed separately.

import BridgeLink
import Foundation
import HapticBridge
import SerialPorts

/// The clock that measures waits. Child processes always run in system time, even if the clock of
/// this program is simulated.
private let clock = SystemClock()

/// Programs that are installed separately.
package enum InstalledProgram {
    /// The interval between two checks of the deadline during a wait for output, in milliseconds.
    private static let slice: Int32 = 50

    /// Returns the path of a program in the folders of PATH; nil if no folder contains the program.
    package static func find(_ name: String) -> URL? {
        let path = HostProgram.current.environment["PATH"] ?? ""
        return path.split(separator: ":").lazy
            .map { URL(fileURLWithPath: String($0)).appendingPathComponent(name) }
            .first { FileManager.default.isExecutableFile(atPath: $0.path) }
    }

    /// Returns the output of a program until it closes the pipe; nil if the program does not close
    /// the pipe within a time in microseconds, if it writes more than `sizeMax` bytes, or after
    /// Ctrl-C.
    package static func output(
        of pipe: Pipe, within time: Int64, sizeMax: Int = .max
    ) -> [UInt8]? {
        let descriptor = pipe.fileHandleForReading.fileDescriptor
        let deadline = clock.now() + time
        var bytes: [UInt8] = []
        var portion = [UInt8](repeating: 0, count: 1 << 16)
        while clock.now() < deadline, bytes.count <= sizeMax, !Interruption.isRequested {
            var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&request, 1, slice) > 0 else { continue }
            let count = read(descriptor, &portion, portion.count)
            if count <= 0 { return bytes }
            bytes += portion.prefix(count)
        }
        return nil
    }
}

extension Process {
    /// The time between SIGTERM and SIGKILL for a program, in microseconds. This time is shorter
    /// than the time that ``Interruption`` allows this process after a signal.
    private static let patience: Int64 = 300_000

    /// Waits until the program ends on its own. Sends SIGTERM if the program is still running after
    /// the given time, and SIGKILL if it is still running 0.3 s later.
    ///
    /// - Parameter time: the maximum wait for the program to end on its own, in microseconds.
    package func end(after time: Int64 = 0) {
        if runs(for: time) { terminate() }
        if runs(for: Self.patience) { kill(processIdentifier, SIGKILL) }
        waitUntilExit()
    }

    private func runs(for time: Int64) -> Bool {
        let deadline = clock.now() + time
        while isRunning, clock.now() < deadline { usleep(5_000) }
        return isRunning
    }
}
