// HapticLocality+Argument: localities as values of command-line options.

import ArgumentParser
import HapticBridge

extension HapticLocality: ExpressibleByArgument {
    /// Parses the name of a known locality.
    public init?(argument: String) {
        guard let known = Self.known.first(where: { $0.rawValue == argument }) else { return nil }
        self = known
    }

    /// The names of the known localities, for help texts and completions.
    public static var allValueStrings: [String] { known.map(\.rawValue) }
}
