// The subset of S-expressions that KiCad's netlists use: atoms, strings and lists.

/// An S-expression: an atom, or a list of S-expressions.
enum SExpression: Equatable {
    case atom(String)
    case list([SExpression])

    /// Parses one expression.
    init(_ text: String) throws {
        var reader = Reader(rest: Substring(text))
        self = try reader.expression()
    }

    /// Returns the lists in this list that begin with `keyword`.
    func lists(_ keyword: String) -> [SExpression] {
        guard case .list(let items) = self else { return [] }
        return items.filter {
            if case .list(let inner) = $0 { inner.first == .atom(keyword) } else { false }
        }
    }

    /// Returns the atom after `keyword`, for example "U1" in `(ref "U1")`.
    func value(_ keyword: String) -> String? {
        guard case .list(let items)? = lists(keyword).first, items.count > 1,
            case .atom(let value) = items[1]
        else { return nil }
        return value
    }
}

extension SExpression {
    enum Fault: Error {
        case ended
        case unexpected(Character)
    }

    private struct Reader {
        var rest: Substring

        mutating func expression() throws -> SExpression {
            skipSpace()
            guard let first = rest.first else { throw Fault.ended }
            switch first {
            case "(": return try list()
            case "\"": return .atom(try string())
            case ")": throw Fault.unexpected(first)
            default: return .atom(word())
            }
        }

        private mutating func list() throws -> SExpression {
            rest.removeFirst()
            var items: [SExpression] = []
            while true {
                skipSpace()
                guard let next = rest.first else { throw Fault.ended }
                if next == ")" { break }
                items.append(try expression())
            }
            rest.removeFirst()
            return .list(items)
        }

        private mutating func string() throws -> String {
            rest.removeFirst()
            var text = ""
            while let character = rest.popFirst() {
                if character == "\"" { return text }
                if character != "\\" {
                    text.append(character)
                } else if let escaped = rest.popFirst() {
                    text.append(escaped == "n" ? "\n" : escaped)
                }
            }
            throw Fault.ended
        }

        private mutating func word() -> String {
            let word = rest.prefix { !$0.isWhitespace && $0 != "(" && $0 != ")" }
            rest = rest[word.endIndex...]
            return String(word)
        }

        private mutating func skipSpace() {
            rest = rest.drop(while: \.isWhitespace)
        }
    }
}
