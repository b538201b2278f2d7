// WallClock: determines the accuracy of the clock of this computer.

import Foundation
import HapticBridge
import JSONText
import ToolSupport

/// The state of the clock for calendar start times, as chrony reports it.
enum WallClock: Equatable {
    /// The clock is synchronized, with the given maximum error in microseconds.
    case disciplined(errorBound: Int64)
    /// The accuracy of the clock is unknown, for the given reason.
    case undisciplined(String)

    private static let program = "chronyc"
    /// The time after which `chronyc` is terminated, in microseconds. If the daemon does not
    /// answer, `chronyc` ends on its own before this time.
    private static let timeLimit: Int64 = 10_000_000

    /// Queries the chrony daemon on this computer.
    static func present() -> WallClock {
        guard let path = InstalledProgram.find(program) else {
            return .undisciplined("\(program) is not installed")
        }
        let process = Process()
        let pipe = Pipe()
        process.executableURL = path
        process.arguments = ["-c", "tracking"]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = pipe
        process.standardError = FileHandle.nullDevice
        do { try process.run() } catch { return .undisciplined("\(program) cannot be run") }
        let output = InstalledProgram.output(of: pipe, within: timeLimit)
        process.end(after: output == nil ? 0 : timeLimit)
        guard let output, process.terminationStatus == 0 else {
            return .undisciplined("the chrony daemon does not answer")
        }
        return WallClock(tracking: String(decoding: output, as: UTF8.self))
    }

    /// Parses the output of `chronyc -c tracking`.
    ///
    /// The error bound is the remaining correction plus the root dispersion plus half the root
    /// delay (chronyc(1), tracking).
    init(tracking line: String) {
        let fields =
            line.split(separator: "\n", omittingEmptySubsequences: false).first?
            .split(separator: ",", omittingEmptySubsequences: false).map(String.init) ?? []
        guard fields.count == Field.count, let correction = Self.seconds(fields[Field.correction]),
            let delay = Self.seconds(fields[Field.rootDelay]), delay >= 0,
            let dispersion = Self.seconds(fields[Field.rootDispersion]), dispersion >= 0
        else {
            self = .undisciplined("\(Self.program) printed unexpected output")
            return
        }
        guard fields[Field.leapStatus] != "Not synchronised", Int(fields[Field.stratum]) != 0
        else {
            self = .undisciplined("chrony is not synchronized yet")
            return
        }
        let bound = abs(correction) + dispersion + delay / 2
        self = .disciplined(errorBound: Int64((bound * 1_000_000).rounded(.up)))
    }

    /// The positions of the values in the line that `chronyc` prints.
    private enum Field {
        static let stratum = 2
        static let correction = 4
        static let rootDelay = 10
        static let rootDispersion = 11
        static let leapStatus = 13
        static let count = 14
    }

    /// The maximum plausible value in seconds: one day.
    private static let secondsMax = 86_400.0

    private static func seconds(_ text: String) -> Double? {
        Double(text).flatMap { abs($0) <= secondsMax ? $0 : nil }
    }

    /// A warning on one line; nil if the clock is synchronized.
    var warning: String? {
        guard case .undisciplined(let reason) = self else { return nil }
        return
            "--at: this computer's clock may not be synchronized (\(reason)): other computers may "
            + "start at a different time; install chrony on each of them"
    }

    /// Returns a line about the accuracy of a start relative to other computers.
    ///
    /// - Parameter errorBound: the error bound of the start on the clock of this computer, in
    ///   microseconds.
    func text(with errorBound: Int64) -> String {
        switch self {
        case .disciplined(let bound):
            "± \(errorBound + bound) µs relative to computers that chrony synchronizes"
        case .undisciplined: "this computer's clock is not synchronized with others"
        }
    }

    func json(with errorBound: Int64) -> JSONValue {
        switch self {
        case .disciplined(let bound):
            [
                "disciplined": true, "clock_error_bound_us": .number(bound),
                "error_bound_us": .number(errorBound + bound),
            ]
        case .undisciplined(let reason): ["disciplined": false, "reason": .string(reason)]
        }
    }
}
