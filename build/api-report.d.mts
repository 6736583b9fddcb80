export declare function apiReport(folder: string, entries: readonly string[]): Map<string, string>;
