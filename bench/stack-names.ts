export const sluiceStackName = 'bench-sluice';
export const peerStackName = 'bench-peer';
