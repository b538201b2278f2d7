// ExitStatus: every exit status of the tool, in one place. Up to 78 the numbers are those of sysexits.h.

/// What the tool's exit status means.
enum ExitStatus: Int32, CaseIterable {
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
    case terminated = 143

    /// The meaning in a few words, as the help prints it.
    var meaning: String {
        switch self {
        case .success: "everything went well"
        case .usage: "the command line is wrong"
        case .badData: "a file is no legal AHAP, compiled pattern or firmware image"
        case .noInput: "an input file does not exist or cannot be read"
        case .noBoard: "no board was found, or several were"
        case .internalError: "a defect in this program"
        case .toolMissing: "a program that is needed is not installed"
        case .cannotCreate: "an output file cannot be written"
        case .inputOutput: "input or output failed, or the link to the board was lost"
        case .busy:
            "another program has the port, an answer did not come in time, or an actuator must cool"
        case .protocolMismatch: "the board speaks another version of the protocol"
        case .noPermission: "you may not open the port"
        case .notConfigured: "the actuator is not configured"
        case .wrongBoard: "the board has another chip than was said"
        case .noBootLoader: "no boot loader answers at the board's rate"
        case .noDriver: "the board finds no haptic driver, or the bus to it fails"
        case .actuatorFault: "the actuator is shorted, open, loose or too hot to drive"
        case .supplyFault: "the driver's supply is too low"
        case .hungUp: "ended by SIGHUP, as the terminal was closed (shells show this number)"
        case .interrupted: "ended by SIGINT, which is Ctrl-C; or a question was answered with no"
        case .terminated: "ended by SIGTERM"
        }
    }

    /// All of them as a table, one a line.
    static var table: String {
        allCases.map { status in
            let number = "\(status.rawValue)"
            return String(repeating: " ", count: 5 - number.count) + "\(number)  \(status.meaning)"
        }.joined(separator: "\n")
    }
}
