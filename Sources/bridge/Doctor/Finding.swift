// Finding: the result of one check of the doctor.

import JSONText
import ToolSupport

struct Finding {
    enum Weight: String {
        case fine = "ok"
        /// A condition under which the board works, but not as well as possible.
        case remark
        case problem
    }

    var weight: Weight
    /// The checked part and its condition, as one sentence.
    var text: String
    /// The commands or actions that fix the problem, one line per element.
    var cure: [String] = []
    /// The exit status if the finding is a problem.
    var status: ExitStatus = .success

    static func fine(_ text: String) -> Finding { Finding(weight: .fine, text: text) }

    static func remark(_ text: String, cure: String) -> Finding {
        Finding(weight: .remark, text: text, cure: [cure])
    }

    static func problem(_ status: ExitStatus, _ text: String, cure: String) -> Finding {
        Finding(weight: .problem, text: text, cure: [cure], status: status)
    }

    init(weight: Weight, text: String, cure: [String] = [], status: ExitStatus = .success) {
        (self.weight, self.text, self.cure, self.status) = (weight, text, cure, status)
    }

    /// Creates a problem from an error that would end other commands.
    init(_ error: ToolError) {
        self.init(
            weight: .problem, text: error.message, cure: error.advice,
            status: error.status)
    }

    /// The text of the finding, followed by the fix.
    var lines: String {
        func indented(_ mark: String, _ text: String) -> String {
            mark + String(repeating: " ", count: 9 - mark.count) + text
        }
        return ([indented(weight.rawValue, text)] + cure.map { indented("", "→ \($0)") })
            .joined(separator: "\n")
    }

    var json: JSONValue {
        [
            "weight": .string(weight.rawValue), "text": .string(text),
            "cure": .array(cure.map { .string($0) }),
            "status": .number(status.rawValue),
        ]
    }
}
