// The user's settings, as every command reads them.

import HapticBridge

extension HapticSettings {
    /// Those of the user's file. Throws `ToolError` if it is refused.
    static func ofUser() throws(ToolError) -> HapticSettings {
        do {
            return try HapticSettings(file: file)
        } catch {
            throw ToolError(
                .badData, error.description,
                advice: "without this file all is felt as it was made")
        }
    }
}
