// ExitStatus: all exit statuses of the tool. The numbers up to 78 are defined in sysexits.h.

/// The exit status of the tool.
package enum ExitStatus: Int32, CaseIterable {
    case success = 0
    case usage = 64
    case badData = 65
    case noInput = 66
    case noBoard = 69
    case internalError = 70
    case toolMissing = 72
    case cannotCreate = 73
    case inputOutput = 74
    case busy = 75
    case protocolMismatch = 76
    case noPermission = 77
    case notConfigured = 78
    case wrongBoard = 79
    case noBootLoader = 80
    case noDriver = 81
    case actuatorFault = 82
    case supplyFault = 83
    case hungUp = 129
    case interrupted = 130
    case quit = 131
    case terminated = 143

    /// The meaning of the status, in the words of the help.
    package var meaning: String {
        switch self {
        case .success: "success"
        case .usage: "invalid command line"
        case .badData:
            "a file is not a valid pattern, sound, firmware image, profile, rule file or key"
        case .noInput: "an input file does not exist or cannot be read"
        case .noBoard:
            "no board or several boards were found, or the sound device of --output cannot be opened"
        case .internalError: "a defect in this program"
        case .toolMissing: "a required program is not installed"
        case .cannotCreate: "an output file cannot be written"
        case .inputOutput: "input or output failed, or the link to the board was lost"
        case .busy:
            "a port is in use, the board did not answer in time, an actuator must cool down, or a test is not complete"
        case .protocolMismatch: "the board uses a different version of the protocol, or violates it"
        case .noPermission: "no permission to open the port"
        case .notConfigured: "the actuator is not configured"
        case .wrongBoard: "the board does not have the expected microcontroller"
        case .noBootLoader:
            "no boot loader answers, or the drive of the boot loader does not appear"
        case .noDriver:
            "the board finds no haptic driver or no accelerometer, or the bus to the driver fails"
        case .actuatorFault: "the actuator is shorted, open, loose or too hot to drive"
        case .supplyFault: "the driver's supply is too low"
        case .hungUp: "ended by SIGHUP when the terminal was closed (as reported by shells)"
        case .interrupted:
            "ended by SIGINT (Ctrl-C) or by another program, or a question was answered with no"
        case .quit: "ended by SIGQUIT (Ctrl-\\)"
        case .terminated: "ended by SIGTERM"
        }
    }

    /// The table of all exit statuses, one per line.
    package static var table: String {
        allCases.map { status in
            let number = "\(status.rawValue)"
            return String(repeating: " ", count: 5 - number.count) + "\(number)  \(status.meaning)"
        }.joined(separator: "\n")
    }
}
