// WallClock: how exactly this computer's clock shows the time that other computers' clocks show.

import Foundation
import HapticBridge
import JSONText

/// The state of the clock by which `--at` starts at a calendar time, as chrony reports it.
enum WallClock: Equatable {
    /// The clock is kept in step with others. It differs from their time by so many microseconds at
    /// most.
    case disciplined(errorBound: Int64)
    /// The clock may show any time, for this reason.
    case undisciplined(String)

    private static let program = "chronyc"
    /// The time after which `chronyc` is ended, in microseconds. It gives up by itself before, if the
    /// daemon does not answer.
    private static let timeLimit: Int64 = 10_000_000

    /// Asks the daemon of chrony on this computer.
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
        do { try process.run() } catch { return .undisciplined("\(program) does not run") }
        let output = InstalledProgram.output(of: pipe, within: timeLimit)
        process.end(after: output == nil ? 0 : timeLimit)
        guard let output, process.terminationStatus == 0 else {
            return .undisciplined("the daemon of chrony does not answer")
        }
        return WallClock(tracking: String(decoding: output, as: UTF8.self))
    }

    /// Reads the line that `chronyc -c tracking` prints.
    ///
    /// The bound is the correction that is still to be made, plus the root dispersion, plus half the
    /// root delay (chronyc(1), tracking).
    init(tracking line: String) {
        let fields =
            line.split(separator: "\n", omittingEmptySubsequences: false).first?
            .split(separator: ",", omittingEmptySubsequences: false).map(String.init) ?? []
        guard fields.count == Field.count, let correction = Self.seconds(fields[Field.correction]),
            let delay = Self.seconds(fields[Field.rootDelay]), delay >= 0,
            let dispersion = Self.seconds(fields[Field.rootDispersion]), dispersion >= 0
        else {
            self = .undisciplined("\(Self.program) says what is not understood")
            return
        }
        guard fields[Field.leapStatus] != "Not synchronised", Int(fields[Field.stratum]) != 0
        else {
            self = .undisciplined("chrony has not found the time yet")
            return
        }
        let bound = abs(correction) + dispersion + delay / 2
        self = .disciplined(errorBound: Int64((bound * 1_000_000).rounded(.up)))
    }

    /// The places of values in the line.
    private enum Field {
        static let stratum = 2
        static let correction = 4
        static let rootDelay = 10
        static let rootDispersion = 11
        static let leapStatus = 13
        static let count = 14
    }

    /// The greatest deviation that is a number of seconds and no nonsense: a day.
    private static let secondsMax = 86_400.0

    private static func seconds(_ text: String) -> Double? {
        Double(text).flatMap { abs($0) <= secondsMax ? $0 : nil }
    }

    /// The warning to the user, in a line; nil where there is nothing to warn of.
    var warning: String? {
        guard case .undisciplined(let reason) = self else { return nil }
        return
            "--at: this computer's clock is not disciplined, as far as is known (\(reason)): other "
            + "computers may start at another time; install chrony on each of them"
    }

    /// A line on how exactly a start is on the time of other computers.
    ///
    /// - Parameter errorBound: how exactly the start is known on this computer's clock, in
    ///   microseconds.
    func text(with errorBound: Int64) -> String {
        switch self {
        case .disciplined(let bound):
            "± \(errorBound + bound) µs on the time of computers that chrony keeps in step"
        case .undisciplined: "this computer's clock is not kept in step with others"
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
