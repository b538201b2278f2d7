// PageOrigins: the pages that may connect to the WebSockets of bridge serve.

import ArgumentParser
import JSONText
import ToolSupport

extension [String] {
    /// Checks origins that are the values of an option.
    ///
    /// - Parameters:
    ///   - option: the name of the option.
    ///   - opener: the option that opens the WebSocket.
    ///   - isOpen: true if that option is present.
    func validate(asOriginsOf option: String, with opener: String, isOpen: Bool) throws {
        guard isOpen || isEmpty else { throw ValidationError("\(option) needs \(opener).") }
        // Pages without an origin of their own send "null", so "null" cannot be allowed.
        for origin in self
        where origin.wholeMatch(of: /[A-Za-z][-+.0-9A-Za-z]*:\/\/[^\/?#\s]*/) == nil {
            throw ValidationError(
                "\(option) \(origin): expected a scheme, a host and, unless it is the default port, "
                    + "a port, without a path, such as https://example.com.")
        }
    }
}

/// Reports the pages whose origins are not allowed, once for each origin. Only one thread at a time
/// may use the object.
final class RefusedPages: @unchecked Sendable {
    private let option: String
    private let output: OutputOptions
    private var origins: Set<String> = []

    /// The maximum number of reported origins.
    private static let originsMax = 16

    /// Creates an object that reports refused pages.
    ///
    /// - Parameter option: the option that allows an origin.
    init(_ option: String, _ output: OutputOptions) {
        (self.option, self.output) = (option, output)
    }

    func report(_ origin: String) {
        guard origins.count < Self.originsMax, origins.insert(origin).inserted else { return }
        output.remark(
            "a page of \(origin.asNameOfStranger) was refused; if you trust it, allow it with "
                + option)
    }
}
