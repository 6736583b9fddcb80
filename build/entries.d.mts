export declare const entries: Readonly<Record<string, string>>;
export declare const command: string;
