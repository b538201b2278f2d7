// FormatLoss+Text: the losses of pattern formats as text.

import PatternFormats

extension FormatLoss {
    /// True if the loss is noticeable: a part is missing, or the difference is at least 1 JND or
    /// unknown.
    package var isNoticeable: Bool { verdict == .notPlayed || jnd.map { $0 >= 1 } ?? true }

    /// Returns the loss as one line of the form `file:line:column: verdict: message (JND)`, or
    /// `file: byte 12: verdict: message` for a binary file.
    package func line(file: String) -> String {
        let prefix =
            switch location {
            case .text(let location): "\(file):\(location)"
            case .byte(let offset): "\(file): byte \(offset)"
            case nil: file
            }
        return "\(prefix): \(description)"
    }

    /// The loss without its location, in the form `verdict: message (JND)`.
    package var description: String {
        let moment = time.map { "\((Double($0) / 1e6).text(decimals: 3)) s: " } ?? ""
        let difference = jnd.map { " (\($0.text(decimals: 1)) JND)" } ?? ""
        return "\(verdict.rawValue): \(moment)\(message)\(difference)"
    }
}
