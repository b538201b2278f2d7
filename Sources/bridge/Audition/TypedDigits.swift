// TypedDigits: reads the digits that the user copies from the display of an editor.

import Foundation
import Synchronization
import ToolSupport

/// Asks the user for digits on another thread, while the command continues.
final class TypedDigits {
    /// The state of the user's input since the last question.
    private enum Line {
        case none, awaited
        case typed(String)
        case ended
    }

    /// The state that the reading thread shares with the command.
    private final class Input: Sendable {
        let line = Mutex(Line.none)
    }

    private let input = Input()
    /// The digits that were given on the command line, which answer the first question.
    private var given: String?

    init(_ given: String?) { self.given = given }

    /// Asks the user for the digits, unless they were given on the command line.
    func ask(isAgain: Bool) {
        if let given {
            self.given = nil
            return input.line.withLock { $0 = .typed(given) }
        }
        let words =
            isAgain
            ? "these digits differ from those that the editor shows" : "the editor shows digits"
        Terminal.standardError.write("\(words); type them here: ")
        let isReading = input.line.withLock { line in
            if case .awaited = line { return true }
            line = .awaited
            return false
        }
        guard !isReading else { return }
        Thread.detachNewThread { [input] in
            let text = readLine()
            input.line.withLock { $0 = text.map { .typed($0) } ?? .ended }
        }
    }

    /// Returns the typed digits and removes them; nil if no digits have been typed. Throws
    /// `ToolError` at the end of the input.
    func typed() throws(ToolError) -> String? {
        let line = input.line.withLock { line in
            defer { if case .awaited = line {} else { line = .none } }
            return line
        }
        switch line {
        case .none, .awaited: return nil
        case .typed(let text): return text.filter { !$0.isWhitespace }
        case .ended:
            throw ToolError(
                .usage, "the editor asks for the digits that it shows, and nothing was typed",
                advice: "specify the digits: bridge audition studio --code DIGITS")
        }
    }
}
