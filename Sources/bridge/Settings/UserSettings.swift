// The user's settings, as every command reads them.

import HapticBridge

extension HapticSettings {
    /// Returns the settings of the user's file. Throws `ToolError` if the file is refused.
    static func ofUser() throws(ToolError) -> HapticSettings {
        do {
            return try HapticSettings(file: file)
        } catch {
            throw ToolError(error)
        }
    }
}

extension ToolError {
    /// The error of a file of settings that is refused.
    init(_ refusal: HapticSettings.Refusal) {
        self.init(
            .badData, refusal.description,
            advice: "mend the file, or delete it: without it everything plays at its own strength")
    }
}
